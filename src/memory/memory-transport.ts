import type { CommandTransport } from "../redis/command-transport.js";
import { bytesOf, textOf } from "./bytes.js";
import type { MemoryConnection } from "./connection.js";
import { RedisError } from "./errors.js";
import type { MemoryServer } from "./memory-server.js";
import { Pipe } from "./pipe.js";
import { plainReply } from "./reply.js";

/**
 * Connections to an in-memory server, as a client library has them to a real one. What is said over them, and how
 * replies are read, is decided where that is decided for every such library.
 */
export function memoryTransport(server: MemoryServer): CommandTransport {
  return {
    name: server.name,
    connect: (events) => {
      const wire = new Wire(server, events);
      return {
        call: (...words) => new Promise((resolve, reject) => wire.ask(words, resolve, reject)),
        close: () => wire.close(),
      };
    },
    subscribe: (channel, events) => {
      let isClosed = false;
      const wire: Wire = new Wire(server, {
        onOpen: () => wire.ask(["SUBSCRIBE", channel], () => events.onOpen()),
        onMessage: (message) => events.onMessage(textOf(message)),
        onClose: () => {
          if (!isClosed) events.onClose();
        },
      });
      return {
        close: () => {
          isClosed = true;
          wire.close();
        },
      };
    },
  };
}

interface WireEvents {
  onOpen(): void;
  onMessage?(message: string): void;
  onClose(reason: Error): void;
}

/** A connection with a network's delays: requests and replies are delayed, each kept in order. */
class Wire {
  readonly #server: MemoryServer;
  readonly #events: WireEvents;
  readonly #toServer = new Pipe();
  readonly #toClient = new Pipe();
  #connection: MemoryConnection | undefined;
  #isOver = false;

  constructor(server: MemoryServer, events: WireEvents) {
    this.#server = server;
    this.#events = events;
    server.open(this.#toServer);
    this.#toServer.put(server.delayMs, () => this.#arrive());
  }

  /** Runs a command on the server. If the connection ends before the reply, it is not answered. */
  ask(
    words: readonly string[],
    onReply: (reply: unknown) => void,
    onError?: (error: RedisError) => void,
  ): void {
    this.#toServer.put(this.#server.delayMs, () => {
      if (this.#connection === undefined) return;
      const tell = outcomeOf(this.#connection, words, onReply, onError);
      this.#toClient.put(0, () => {
        if (!this.#isOver) tell();
      });
    });
  }

  /** Closed by the client. What it has sent still arrives and is executed. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#toServer.put(this.#server.delayMs, () => {
      this.#connection?.close();
      this.#end();
    });
    process.nextTick(() => this.#events.onClose(reset()));
  }

  #arrive(): void {
    const connection = this.#server.connect({
      onMessage: (_, message) => {
        this.#toClient.put(0, () => {
          if (!this.#isOver) this.#events.onMessage?.(message);
        });
      },
      onClose: () => this.#fail(reset()),
    });
    if (connection === undefined) {
      this.#fail(new Error("connection refused"));
      return;
    }
    this.#connection = connection;
    this.#toClient.put(0, () => {
      if (!this.#isOver) this.#events.onOpen();
    });
  }

  /** Closed by the server: requests in flight are lost, and replies already sent arrive before the end. */
  #fail(reason: Error): void {
    this.#connection = undefined;
    this.#end();
    // The replies before it are heard of one microtask after they have arrived.
    const end = (): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#events.onClose(reason);
    };
    this.#toClient.put(0, () => queueMicrotask(end));
  }

  #end(): void {
    this.#toServer.close();
    this.#server.forget(this.#toServer);
  }
}

/** Runs a command. @returns what tells its outcome */
function outcomeOf(
  connection: MemoryConnection,
  words: readonly string[],
  onReply: (reply: unknown) => void,
  onError?: (error: RedisError) => void,
): () => void {
  try {
    const reply = plainReply(connection.execute(words.map(bytesOf)));
    return () => onReply(reply);
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
    return () => onError?.(error);
  }
}

function reset(): Error {
  return new Error("the connection was reset");
}
