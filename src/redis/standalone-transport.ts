import type { Redis } from "ioredis";
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
import { connectionsToEnd } from "../channel/previous-connection.js";
import { dropStream } from "./drop-stream.js";
import { MEMBER_OF_CLUSTER } from "../protocol/capabilities.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { decodeReply } from "../script/batch-codec.js";
import { readyCommand, type BatchWire } from "./batch-wire.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../script/batch-script.js";
import { answerHandshake, connectOnce } from "./client-events.js";
import { subscribeOnce } from "./subscription.js";
import {
  errorReply,
  isConnectionClosed,
  isOfClusterMember,
  isSyntaxError,
  isUnknownCommand,
} from "../script/redis-errors.js";
import { decodeHandshake, encodeHandshake } from "../script/handshake-codec.js";
import { detached } from "../runtime/detached.js";
import { HANDSHAKE_SCRIPT } from "../script/embedded-lua.js";

const SENTINEL =
  "this is a Sentinel; give { options: { sentinels: [{ host, port }], name } } to lock on its master";

/** The id of no connection. */
const NOBODY = Number.MAX_SAFE_INTEGER;

const notAnswered = (command: string): string => `${command} is not answered as by a Redis server`;

/** Connections to one server (standalone, or the master that Sentinel currently names). */
export class StandaloneTransport implements Transport {
  readonly name: string;
  readonly #open: () => Redis;
  readonly #wire: BatchWire;

  /** @param open makes a client that is not connected yet, for one connection */
  constructor(name: string, open: () => Redis, wire: BatchWire) {
    this.name = name;
    this.#open = open;
    this.#wire = wire;
  }

  connect(events: ConnectionEvents): Connection {
    return new StandaloneConnection(this.#open(), this.#wire, events);
  }

  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    return subscribeOnce(this.#open(), channel, events);
  }
}

class StandaloneConnection implements Connection {
  readonly #redis: Redis;
  #isHandshakeDone = false;
  readonly #wire: BatchWire;

  constructor(redis: Redis, wire: BatchWire, events: ConnectionEvents) {
    this.#redis = redis;
    this.#wire = wire;
    connectOnce(redis, events);
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    detached(() => answerHandshake(this.#handshake(request), reply));
  }

  async #handshake(request: HandshakeRequest): Promise<HandshakeReply> {
    try {
      return await this.#askWhoItIs(request);
    } catch (error) {
      if (isOfClusterMember(error)) throw new Error(MEMBER_OF_CLUSTER, { cause: error });
      if (await this.#isSentinel(error)) throw new Error(SENTINEL, { cause: error });
      throw error;
    }
  }

  async #askWhoItIs(request: HandshakeRequest): Promise<HandshakeReply> {
    // ioredis selects the database, but continues in database 0 if the server refuses.
    const { db } = this.#redis.options;
    if (db) await this.#redis.select(db);
    const [connectionId, list, about] = await Promise.all([
      named("CLIENT|ID", this.#redis.client("ID")),
      this.#isHandshakeDone ? "" : this.#introduce(request),
      this.#redis.eval(HANDSHAKE_SCRIPT, 1, RECORD_KEY, ...encodeHandshake(request)),
    ]);
    if (!Number.isSafeInteger(connectionId)) throw new Error(notAnswered("CLIENT ID"));
    const handshake = decodeHandshake(String(connectionId), about);
    this.#isHandshakeDone = true;
    await Promise.all(connectionsToEnd(request, list).map((id) => this.#kill(id)));
    return handshake;
  }

  /**
   * Names the connection, and looks for the previous one. Whether it may end connections must be known before it has to.
   */
  async #introduce({ connectionName, previous }: HandshakeRequest): Promise<string> {
    const [, list] = await Promise.all([
      named("CLIENT|SETNAME", this.#redis.client("SETNAME", connectionName)),
      this.#list(Number(previous?.connectionId ?? NOBODY)),
      this.#kill(NOBODY),
    ]);
    if (typeof list === "string") return list;
    if (list !== undefined) throw new Error(notAnswered("CLIENT LIST"));
    return previous === undefined ? "" : String(await this.#redis.client("LIST"));
  }

  #kill(connectionId: string | number): Promise<unknown> {
    return named("CLIENT|KILL", this.#redis.client("KILL", "ID", connectionId));
  }

  /** Undefined before Redis 6.2, which cannot list one connection, but only all. */
  async #list(connectionId: number): Promise<unknown> {
    try {
      return await named("CLIENT|LIST", this.#redis.client("LIST", "ID", connectionId));
    } catch (error) {
      if (isSyntaxError(error)) return undefined;
      throw error;
    }
  }

  /** A Sentinel supports only a few commands, and INFO. */
  async #isSentinel(failure: unknown): Promise<boolean> {
    if (!isUnknownCommand(failure)) return false;
    const info = await this.#redis.info("server").catch(() => "");
    return /^(?:redis|server)_mode:sentinel/m.test(info);
  }

  get stage(): string | undefined {
    const { status, options, stream } = this.#redis;
    if (status === "connect" || status === "ready")
      return "connected, but the server does not answer";
    if (stream === undefined) return options.sentinels ? "no Sentinel has answered" : undefined;
    if (stream.connecting) return "no TCP connection";
    return options.tls
      ? "connected, but TLS is not answered; does the server speak TLS there?"
      : undefined;
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    // A batch has operations of many callers, and is sent in full while any of them waits.
    void detached(() =>
      this.#call(batch).then(
        (values) => reply(decodeReply(values, batch.operations)),
        (error: unknown) => {
          if (!isConnectionClosed(error)) reply(errorReply(error));
        },
      ),
    );
  }

  #call({ operations, recordId, number, withScript }: Batch): Promise<unknown> {
    const [name, script] = withScript
      ? (["eval", BATCH_SCRIPT] as const)
      : (["evalsha", BATCH_SHA] as const);
    const bytes = this.#wire.encode(name, script, operations, recordId, number);
    const command = readyCommand(name, bytes);
    this.#redis.sendCommand(command);
    return command.promise;
  }

  close(): void {
    const { stream } = this.#redis;
    if (stream !== undefined) dropStream(stream);
    this.#redis.disconnect();
  }
}

/** Not all servers' errors name the forbidden command. */
async function named<T>(command: string, reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (isConnectionClosed(error)) throw error;
    throw new Error(`ERR ${command} failed: ${(error as Error).message}`, { cause: error });
  }
}
