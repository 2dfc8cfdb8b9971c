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
import { dropClient } from "./drop-stream.js";
import { decodeReply } from "../script/batch-decoder.js";
import type { BatchWire } from "../script/batch-encoder.js";
import { sendBytes } from "./open-client.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../script/batch-script.js";
import { answerHandshake, connectOnce, stageOf } from "./client-events.js";
import { confirmAgain } from "./confirm-again.js";
import { connectionFailure, errorReply, isConnectionClosed } from "../script/redis-errors.js";
import type { NodeCredentials } from "./credentials.js";
import { Introduction, orSentinel, type Another } from "./introduction.js";

/** Connections to one server (standalone, or the master that Sentinel currently names). */
export class StandaloneTransport implements Transport {
  readonly name: string;
  readonly #open: () => Redis;
  readonly #wire: BatchWire;
  readonly #credentials: NodeCredentials | undefined;
  /** The connections of its subscriptions. */
  readonly #listening = new Set<Redis>();
  #runId: string | undefined;

  /** @param open makes a client that is not connected yet, for one connection */
  constructor(name: string, open: () => Redis, wire: BatchWire, credentials?: NodeCredentials) {
    this.name = name;
    this.#open = open;
    this.#wire = wire;
    this.#credentials = credentials;
  }

  get problem(): string | undefined {
    return this.#credentials?.problem;
  }

  connect(events: ConnectionEvents): Connection {
    const [open, wire, credentials] = [this.#open, this.#wire, this.#credentials];
    return new StandaloneConnection(open, wire, credentials, events, (runId) =>
      this.#onServer(runId),
    );
  }

  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    const redis = this.#open();
    this.#listening.add(redis);
    redis.once("end", () => this.#listening.delete(redis));
    return subscribeOnce(redis, channel, events);
  }

  /** The address may lead to another server now, while what was opened before is still to the former one. */
  #onServer(runId: string): void {
    if (this.#runId !== undefined && this.#runId !== runId) this.#listening.forEach(dropClient);
    this.#runId = runId;
  }
}

class StandaloneConnection implements Connection {
  readonly #redis: Redis;
  readonly #introduction: Introduction;
  /** While its handshake has a second connection. */
  #another: Redis | undefined;
  readonly #wire: BatchWire;
  readonly #credentials: NodeCredentials | undefined;
  readonly #onServer: (runId: string) => void;

  constructor(
    open: () => Redis,
    wire: BatchWire,
    credentials: NodeCredentials | undefined,
    events: ConnectionEvents,
    onServer: (runId: string) => void,
  ) {
    this.#onServer = onServer;
    const redis = open();
    this.#redis = redis;
    this.#wire = wire;
    this.#credentials = credentials;
    this.#introduction = new Introduction(redis, () => this.#openAnother(open));
    connectOnce(redis, events);
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    answerHandshake(() => this.#handshake(request), reply);
  }

  async #handshake(request: HandshakeRequest): Promise<HandshakeReply> {
    try {
      // ioredis selects the database, but continues in database 0 if the server refuses.
      const { db } = this.#redis.options;
      if (db) await this.#redis.select(db);
      const reply = await this.#introduction.handshake(request);
      if (reply.kind === "handshake") this.#onServer(reply.runId);
      return reply;
    } catch (error) {
      throw await orSentinel(this.#redis, error);
    }
  }

  get stage(): string | undefined {
    return stageOf(this.#redis, this.#credentials?.isAsking);
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    const { operations, recordId, number, withScript } = batch;
    const name = withScript ? "eval" : "evalsha";
    const script = withScript ? BATCH_SCRIPT : BATCH_SHA;
    const bytes = this.#wire.encode(name, script, operations, recordId, number);
    void sendBytes(this.#redis, name, bytes).then(
      (values) => reply(decodeReply(values, operations)),
      (error: unknown) => {
        if (!isConnectionClosed(error)) reply(errorReply(error));
      },
    );
  }

  close(): void {
    dropClient(this.#redis);
    if (this.#another !== undefined) dropClient(this.#another);
  }

  #openAnother(open: () => Redis): Promise<Another | undefined> {
    const redis = open();
    this.#another = redis;
    return new Promise((resolve) => {
      const another = {
        call: (name: string, ...words: string[]) => redis.call(name, ...words),
        close: () => dropClient(redis),
      };
      connectOnce(redis, { onOpen: () => resolve(another), onClose: () => resolve(undefined) });
    });
  }
}

/** One connection that listens to one channel until it breaks or is closed. */
export function subscribeOnce(
  redis: Redis,
  channel: string,
  events: SubscriptionEvents,
  confirmMs?: number,
): Subscription {
  let isOver = false;
  const end = (refusal?: string): void => {
    if (isOver) return;
    isOver = true;
    drop();
    events.onClose(refusal);
  };
  const drop = confirmAgain(redis, () => redis.subscribe(channel), confirmMs);
  redis.on("message", (_, message: string) => {
    if (!isOver) events.onMessage(message);
  });
  connectOnce(redis, {
    onOpen: () => {
      redis.subscribe(channel).then(
        () => {
          if (!isOver) events.onOpen();
        },
        (error: unknown) => {
          end(isConnectionClosed(error) ? undefined : connectionFailure(error).message);
        },
      );
    },
    onClose: () => end(),
  });
  return {
    close: () => {
      isOver = true;
      drop();
    },
  };
}
