import { connectionsToEnd } from "../channel/previous-connection.js";
import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  ConnectionFailure,
  HandshakeReply,
  HandshakeRequest,
  Subscription,
  SubscriptionEvents,
  Transport,
} from "../channel/transport.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { connectionFailure, errorReply } from "../script/redis-errors.js";
import { decodeHandshake, encodeHandshake } from "../script/handshake-codec.js";
import { decodeReply, encodeBatch, type BatchConstants } from "../script/batch-codec.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../script/batch-script.js";
import { HANDSHAKE_SCRIPT } from "../script/embedded-lua.js";
import { bytesOf, textOf } from "./bytes.js";
import type { MemoryConnection } from "./connection.js";
import { RedisError } from "./errors.js";
import type { MemoryServer } from "./memory-server.js";
import { Pipe } from "./pipe.js";
import { plainReply } from "./reply.js";

const RESET: ConnectionFailure = { message: "the connection was reset", isMisconfigured: false };
const REFUSED: ConnectionFailure = { message: "connection refused", isMisconfigured: false };

/** Connections to an in-memory server: like Redis connections, without the network. */
export class MemoryTransport implements Transport {
  readonly name: string;
  readonly #server: MemoryServer;
  readonly #constants: BatchConstants;

  constructor(server: MemoryServer, constants: BatchConstants) {
    this.name = server.name;
    this.#server = server;
    this.#constants = constants;
  }

  connect(events: ConnectionEvents): Connection {
    return new TransportConnection(this.#server, this.#constants, events);
  }

  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    let isClosed = false;
    const wire: Wire = new Wire(this.#server, {
      onOpen: () => {
        wire.ask(
          (connection) => connection.execute(["SUBSCRIBE", bytesOf(channel)]),
          () => events.onOpen(),
        );
      },
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
  }
}

class TransportConnection implements Connection {
  readonly #wire: Wire;
  readonly #constants: BatchConstants;

  constructor(server: MemoryServer, constants: BatchConstants, events: ConnectionEvents) {
    this.#constants = constants;
    this.#wire = new Wire(server, events);
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    const args = [
      "EVAL",
      HANDSHAKE_SCRIPT,
      "1",
      RECORD_KEY,
      ...encodeHandshake(request).map(String),
    ];
    this.#wire.ask<HandshakeReply>((connection) => {
      try {
        connection.execute(["CLIENT", "SETNAME", request.connectionName]);
        const about = plainReply(connection.execute(args.map(bytesOf)));
        const handshake = decodeHandshake(String(connection.id), about);
        const list = connection.execute([
          "CLIENT",
          "LIST",
          "ID",
          request.previous?.connectionId ?? "",
        ]);
        for (const id of connectionsToEnd(request, typeof list === "string" ? list : ""))
          connection.execute(["CLIENT", "KILL", "ID", id]);
        return handshake;
      } catch (error) {
        if (!(error instanceof RedisError)) throw error;
        return { kind: "failed", failure: connectionFailure(error) };
      }
    }, reply);
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    const { operations, recordId, number, withScript } = batch;
    const script = withScript ? ["EVAL", BATCH_SCRIPT] : ["EVALSHA", BATCH_SHA];
    const words = encodeBatch(operations, recordId, number, this.#constants);
    const args = [...script, ...words].map(bytesOf);
    this.#wire.ask<BatchReply>((connection) => {
      try {
        return decodeReply(plainReply(connection.execute(args)), operations);
      } catch (error) {
        if (!(error instanceof RedisError)) throw error;
        return errorReply(error);
      }
    }, reply);
  }

  close(): void {
    this.#wire.close();
  }
}

interface WireEvents {
  onOpen(): void;
  onMessage?(message: string): void;
  onClose(failure: ConnectionFailure): void;
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

  /** @param run on the server; not called if the connection ends first */
  ask<T>(run: (connection: MemoryConnection) => T, reply: (answer: T) => void): void {
    this.#toServer.put(this.#server.delayMs, () => {
      const connection = this.#connection;
      if (connection === undefined) return;
      const answer = run(connection);
      this.#toClient.put(0, () => {
        if (!this.#isOver) reply(answer);
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
    process.nextTick(() => this.#events.onClose(RESET));
  }

  #arrive(): void {
    const connection = this.#server.connect({
      onMessage: (_, message) => {
        this.#toClient.put(0, () => {
          if (!this.#isOver) this.#events.onMessage?.(message);
        });
      },
      onClose: () => this.#fail(RESET),
    });
    if (connection === undefined) {
      this.#fail(REFUSED);
      return;
    }
    this.#connection = connection;
    this.#toClient.put(0, () => {
      if (!this.#isOver) this.#events.onOpen();
    });
  }

  /** Closed by the server: requests in flight are lost, and replies already sent arrive before the end. */
  #fail(failure: ConnectionFailure): void {
    this.#connection = undefined;
    this.#end();
    this.#toClient.put(0, () => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#events.onClose(failure);
    });
  }

  #end(): void {
    this.#toServer.close();
    this.#server.forget(this.#toServer);
  }
}
