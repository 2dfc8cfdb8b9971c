import type { Redis } from "ioredis";
import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  HelloReply,
  HelloRequest,
  Subscription,
  SubscriptionEvents,
  Transport,
} from "../channel/transport.js";
import { dropStream } from "./drop-stream.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { decodeReply, encodeBatch, type BatchConstants } from "../script/batch-codec.js";
import { readyCommand, type BatchWire } from "./batch-wire.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../script/batch-script.js";
import { answerHello, connectOnce } from "./client-events.js";
import { subscribeOnce } from "./subscription.js";
import { faultMessage, isConnectionClosed, isExecuted, isNoScript } from "./faults.js";
import { decodeHello, encodeHello } from "./hello-codec.js";
import { HANDSHAKE_SCRIPT } from "../script/embedded-lua.js";

/** Connections to one server (standalone, or the master that Sentinel names at the time). */
export class StandaloneTransport implements Transport {
  readonly name: string;
  readonly #open: () => Redis;
  readonly #constants: BatchConstants;
  readonly #wire: BatchWire;

  /** @param open makes a client that is not connected yet, for one connection */
  constructor(name: string, open: () => Redis, constants: BatchConstants, wire: BatchWire) {
    this.name = name;
    this.#open = open;
    this.#constants = constants;
    this.#wire = wire;
  }

  connect(events: ConnectionEvents): Connection {
    return new StandaloneConnection(this.#open(), this.#constants, this.#wire, events);
  }

  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    return subscribeOnce(this.#open(), channel, events);
  }
}

class StandaloneConnection implements Connection {
  readonly #redis: Redis;
  readonly #constants: BatchConstants;
  readonly #wire: BatchWire;

  constructor(redis: Redis, constants: BatchConstants, wire: BatchWire, events: ConnectionEvents) {
    this.#redis = redis;
    this.#constants = constants;
    this.#wire = wire;
    connectOnce(redis, events);
  }

  hello(request: HelloRequest, reply: (reply: HelloReply) => void): void {
    answerHello(this.#hello(request), reply);
  }

  async #hello(request: HelloRequest): Promise<HelloReply> {
    // ioredis selects the database by itself, but goes on in database 0 if the server refuses.
    const { db } = this.#redis.options;
    if (db) await this.#redis.select(db);
    const [connectionId, about] = await Promise.all([
      this.#redis.client("ID"),
      this.#redis.eval(HANDSHAKE_SCRIPT, 1, RECORD_KEY, ...encodeHello(request)),
    ]);
    const hello = decodeHello(String(connectionId), about as unknown[]);
    const { previous } = request;
    // What the previous connection sent and the server has not read must not run behind us. An id
    // means something only within the run of the server that gave it.
    if (previous?.runId === hello.runId && previous.connectionId !== hello.connectionId) {
      await this.#redis.client("KILL", "ID", previous.connectionId);
    }
    return hello;
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    this.#call(batch).then(
      (values) => reply(decodeReply(values, batch.operations)),
      (error: unknown) => {
        if (!isConnectionClosed(error)) reply(errorReply(error));
      },
    );
  }

  #call({ operations, recordId, withScript }: Batch): Promise<unknown> {
    const redis = this.#redis;
    const [name, script] = withScript
      ? (["eval", BATCH_SCRIPT] as const)
      : (["evalsha", BATCH_SHA] as const);
    const bytes = this.#wire.encode(name, script, operations, recordId);
    const command = readyCommand(redis, name, bytes);
    if (command === undefined) {
      return redis.call(name, script, ...encodeBatch(operations, recordId, this.#constants));
    }
    redis.sendCommand(command);
    return command.promise;
  }

  close(): void {
    const { stream } = this.#redis;
    if (stream !== undefined) dropStream(stream);
    this.#redis.disconnect();
  }
}

function errorReply(error: unknown): BatchReply {
  if (isNoScript(error)) return { kind: "noScript" };
  return { kind: "error", message: faultMessage(error), isExecuted: isExecuted(error) };
}
