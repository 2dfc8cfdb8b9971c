import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  HandshakeReply,
  HandshakeRequest,
  Subscription,
  SubscriptionEvents,
  Transport,
} from "../channel/transport.js";
import { show } from "../runtime/validate.js";
import { decodeReply } from "../script/batch-decoder.js";
import { encodeBatch, type BatchConstants } from "../script/batch-encoder.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../script/batch-script.js";
import { answerHandshake } from "./client-events.js";
import { Introduction, type Another } from "./introduction.js";
import { connectionFailure, errorReply } from "../script/redis-errors.js";

/** One Redis server, as a client library of your own reaches it. */
export interface CommandTransport {
  /** For people: `host:port`, without credentials. */
  readonly name: string;
  /**
   * Opens one connection, and never another in its place. Nothing is told from within this call. If it throws, the node
   * is down and tried again.
   */
  readonly connect: (events: {
    /** It can be used. */
    readonly onOpen: () => void;
    /** Exactly once, whoever closed it, and even if it never opened. */
    readonly onClose: (reason: Error) => void;
  }) => CommandConnection;
  /** Subscribes to a channel, over a connection of its own. Without it, waiters on all nodes poll. */
  readonly subscribe?: (
    channel: string,
    events: {
      /** From here on, no message is missed. */
      readonly onOpen: () => void;
      readonly onMessage: (message: string) => void;
      /** At most once, and not after `close`. */
      readonly onClose: () => void;
    },
  ) => { readonly close: () => void };
}

/** One connection of a {@link CommandTransport}. */
export interface CommandConnection {
  /**
   * Sends one command, once and at once: the server executes the commands of a connection in the order of the calls,
   * and each promise gets the reply to its own. It resolves with text, numbers, null and lists of them, or rejects
   * with the server's error, whose message begins with its code (`NOSCRIPT ...`). It never settles if the connection
   * closes before.
   */
  readonly call: (...words: string[]) => Promise<unknown>;
  /** Ends it, whatever is in flight. `onClose` follows. */
  readonly close: () => void;
}

/** Locks on a server over commands. */
export class CommandedTransport implements Transport {
  readonly name: string;
  readonly subscribe?: (channel: string, events: SubscriptionEvents) => Subscription;
  readonly #transport: CommandTransport;
  readonly #constants: BatchConstants;

  constructor(transport: CommandTransport, constants: BatchConstants) {
    this.name = transport.name;
    this.#transport = transport;
    this.#constants = constants;
    if (transport.subscribe === undefined) return;
    const subscribe = transport.subscribe.bind(transport);
    this.subscribe = (channel, events) => {
      const open = (): Subscription =>
        subscribe(channel, {
          onOpen: () => events.onOpen(),
          onMessage: (message) => events.onMessage(message),
          onClose: () => events.onClose(),
        });
      return opened("subscribe", open, (error) => events.onClose(connectionFailure(error).message));
    };
  }

  connect(events: ConnectionEvents): Connection {
    return new CommandedConnection(this.#transport, this.#constants, events);
  }
}

class CommandedConnection implements Connection {
  readonly #connection: CommandConnection;
  readonly #constants: BatchConstants;
  readonly #introduction: Introduction;
  /** While its handshake has a second connection. */
  #another: CommandConnection | undefined;

  constructor(transport: CommandTransport, constants: BatchConstants, events: ConnectionEvents) {
    this.#constants = constants;
    this.#connection = connected(transport, {
      onOpen: () => events.onOpen(),
      onClose: (reason) => {
        this.#another?.close();
        events.onClose(connectionFailure(reason));
      },
    });
    const call = (...words: (string | number)[]): Promise<unknown> =>
      this.#connection.call(...words.map(String));
    this.#introduction = new Introduction(
      {
        call,
        client: (...words) => call("CLIENT", ...words),
        eval: (...words) => call("EVAL", ...words),
      },
      () => this.#openAnother(transport),
    );
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    answerHandshake(() => this.#introduction.handshake(request), reply);
  }

  send(
    { operations, recordId, number, withScript }: Batch,
    reply: (reply: BatchReply) => void,
  ): void {
    const script = withScript ? ["EVAL", BATCH_SCRIPT] : ["EVALSHA", BATCH_SHA];
    const words = encodeBatch(operations, recordId, number, this.#constants);
    void this.#connection.call(...script, ...words).then(
      (values) => reply(decodeReply(values, operations)),
      (error: unknown) => reply(errorReply(error)),
    );
  }

  close(): void {
    this.#connection.close();
    this.#another?.close();
  }

  #openAnother(transport: CommandTransport): Promise<Another | undefined> {
    return new Promise((resolve) => {
      const another = connected(transport, {
        onOpen: () => resolve(another),
        onClose: () => {
          this.#another = undefined;
          resolve(undefined);
        },
      });
      this.#another = another;
    });
  }
}

/** A connection none of whose calls throws: what goes wrong in the user's code is its end, or rejects. */
function connected(
  transport: CommandTransport,
  events: Parameters<CommandTransport["connect"]>[0],
): CommandConnection {
  const open = (): CommandConnection => transport.connect(events);
  const { given, close } = opened("connect", open, (error) => events.onClose(error as Error));
  // What did not open has no replies either.
  const call = (...words: string[]): Promise<unknown> =>
    given === undefined ? new Promise(() => {}) : tried(() => given.call(...words));
  return { call, close };
}

/**
 * What the user's transport opens. Its error would end the process, and with it the locks on all other nodes: it is
 * told instead, later.
 */
function opened<T extends { readonly close: () => void }>(
  method: string,
  open: () => T,
  onError: (error: unknown) => void,
): { readonly given: T | undefined; readonly close: () => void } {
  const tell = (error: unknown): void => queueMicrotask(() => onError(error));
  try {
    const given = open();
    if (typeof given?.close === "function")
      return { given, close: () => void tried(() => given.close()).catch(tell) };
    // What a promise brings is of no use any more.
    tried(() => given)
      .then((late?: T) => late?.close())
      .catch(() => {});
    tell(
      new TypeError(
        `${method}() of the transport must return an object with a \`close\`, got ${show(given)}`,
      ),
    );
  } catch (error) {
    tell(error);
  }
  return { given: undefined, close: () => {} };
}

/** Its result, or its error, as a promise. */
function tried<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(run());
  } catch (error) {
    return Promise.reject(error);
  }
}
