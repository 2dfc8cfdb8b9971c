import type { Cluster } from "ioredis";
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
import { OF_CLUSTER } from "../protocol/capabilities.js";
import type { Clock } from "../coordinator/ports.js";
import { channelInSlot, inboxChannel } from "../protocol/keys.js";
import { NO_RECORD, PROTOCOL_VERSION, type IncarnationRecord } from "../protocol/record.js";
import { faultVote, type Operation, type OperationOf, type Vote } from "../protocol/operation.js";
import { systemClock } from "../runtime/system.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../script/batch-script.js";
import { withoutPlace } from "../channel/deferred-acquires.js";
import { outOfStep } from "../channel/node-connection.js";
import { decodeReply } from "../script/batch-decoder.js";
import type { BatchWire } from "../script/batch-encoder.js";
import { sendBytes } from "./open-client.js";
import { dropClient } from "./drop-stream.js";
import { answerHandshake, connectOnce } from "./client-events.js";
import type { NodeCredentials } from "./credentials.js";
import { fencesKey, inSmallTable } from "./cluster-fences.js";
import { ClusterSubscription, tellsForMs, type Slot } from "./cluster-subscription.js";
import { joined, slotPartsOf, type PartVote, type SlotPart } from "./slot-parts.js";
import { slotTags, type SlotTags } from "./slot-tags.js";
import { isConnectionClosed, isNoScript, operationFault } from "../script/redis-errors.js";

/**
 * A Redis Cluster counted as one node.
 *
 * Weaker than an independent master: a failover inside it can lose a lock. It keeps no record, so it is never
 * quarantined, and a connection cannot be ended from another one.
 */
export class ClusterTransport implements Transport {
  readonly name: string;
  readonly hasInboxOnly = true;
  readonly #open: () => Cluster;
  readonly #wire: BatchWire;
  readonly #credentials: NodeCredentials | undefined;
  readonly #clock: Pick<Clock, "steady">;
  /** The latest. */
  #subscription: ClusterSubscription | undefined;

  constructor(
    name: string,
    open: () => Cluster,
    wire: BatchWire,
    credentials?: NodeCredentials,
    clock: Pick<Clock, "steady"> = systemClock(),
  ) {
    this.name = name;
    this.#open = open;
    this.#wire = wire;
    this.#credentials = credentials;
    this.#clock = clock;
  }

  get problem(): string | undefined {
    return this.#credentials?.problem;
  }

  connect(events: ConnectionEvents): Connection {
    const cluster = this.#open();
    return new ClusterConnection(cluster, this.#wire, events, this.#clock, (slot, forMs) =>
      this.#subscription?.listen(cluster, slot, forMs),
    );
  }

  /** Open once the channel is subscribed to in some slot, which follows from what is sent over the connection. */
  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    this.#subscription = new ClusterSubscription(channel, this.#clock, events);
    return this.#subscription;
  }
}

/** Whether a script may publish in a slot. */
const MAY_PUBLISH = `local reply = redis.pcall("SPUBLISH", KEYS[1], "")
return type(reply) == "number" and 1 or 0`;

/** Releases that are kept for members that are gone, and how long before they are sent again, ms. */
const [MAX_OWED, OWED_PAUSE_MS] = [4_096, 1_000];

interface Owed {
  readonly fences: string;
  readonly slot: number;
  readonly number: number;
  /** Monotonic clock, ms. */
  readonly untilMs: number;
}

class ClusterConnection implements Connection {
  readonly #cluster: Cluster;
  readonly #wire: BatchWire;
  readonly #listen: (slot: Slot, forMs: number) => void;
  /** Known when the handshake is answered, so before any batch. */
  #tags: SlotTags | undefined;
  /** Members that were sent the script, by address. */
  readonly #loaded = new Set<string>();
  /** By slot: the number of the last call. */
  readonly #last = new Map<number, number>();
  readonly #clock: Pick<Clock, "steady">;
  readonly #owed = new Map<Operation, Owed>();
  #again: NodeJS.Timeout | undefined;

  /** @param listen the process may be told of something in that slot */
  constructor(
    cluster: Cluster,
    wire: BatchWire,
    events: ConnectionEvents,
    clock: Pick<Clock, "steady">,
    listen: (slot: Slot, forMs: number) => void,
  ) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#wire = wire;
    this.#listen = listen;
    // While the connection opens.
    void slotTags();
    connectOnce(cluster, events);
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    answerHandshake(() => this.#handshake(request), reply);
  }

  async #handshake({
    number,
    nodeCount,
    maxTtlMs: raisedMs,
    firstTtlMs,
    clockStepMs,
  }: HandshakeRequest): Promise<HandshakeReply> {
    // The id of any one member distinguishes clusters, and detects one that was given twice.
    const nodes = String(await this.#cluster.cluster("NODES"));
    const ids = nodes.split("\n").flatMap((line) => line.split(" ")[0] || []);
    const runId = `cluster ${ids.toSorted()[0] ?? ""}`;
    const maxTtlMs = Math.max(raisedMs, firstTtlMs);
    this.#tags = await slotTags();
    const capabilities = { ...OF_CLUSTER, pubSub: await this.#mayPublish(this.#tags) };
    const record: IncarnationRecord = {
      ...{ id: NO_RECORD, runId, state: "unkept", fellows: "", topFence: 0 },
      ...{ writtenMs: 0, writerMs: 0, nodeCount, maxTtlMs, clockStepMs },
      ...{ version: PROTOCOL_VERSION, capabilities },
      nodeId: runId.replaceAll(/\W/g, "-"),
    };
    // Of any one member, too.
    const [seconds, us] = await this.#cluster.time();
    const nodeTimeMs = Number(seconds) * 1_000 + Math.floor(Number(us) / 1_000);
    return {
      ...{ kind: "handshake", number, connectionId: "", runId, nodeTimeMs },
      ...{ capabilities, problems: [], record, nodeList: "", lastNodeList: "" },
      earlierTtlMs: 0,
    };
  }

  /** In any slot. Where that cannot be asked, whoever waits there finds out. */
  async #mayPublish(tags: SlotTags): Promise<boolean> {
    const channel = channelInSlot(inboxChannel(""), tags.of(0));
    try {
      return (await this.#cluster.eval(MAY_PUBLISH, 1, channel)) === 1;
    } catch (error) {
      if (isConnectionClosed(error)) throw error;
      return true;
    }
  }

  /** One script call per slot; within a slot, the order is the batch's. */
  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    const tags = this.#tags;
    if (tags === undefined) throw new Error("a batch before the handshake");
    const slots = new Map<number, SlotPart[]>();
    for (const part of slotPartsOf(batch.operations, batch.number)) {
      const others = slots.get(part.slot);
      if (others === undefined) slots.set(part.slot, [part]);
      else others.push(part);
    }
    const answers: PartVote[][] = batch.operations.map(() => []);
    let number: number | undefined = batch.number;
    const calls = [...slots].map(async ([slot, parts]) => {
      const operations = parts.map(({ operation }) => inSmallTable(operation));
      const forMs = Math.max(...operations.map(tellsForMs));
      if (forMs > 0) this.#listen({ number: slot, tag: tags.of(slot) }, forMs);
      const first = (parts[0] as SlotPart).number;
      const answered = await this.#call(operations, fencesKey(tags, slot), slot, first);
      if (answered === undefined) number = undefined;
      parts.forEach((part, at) => answers[part.index]?.push({ part, vote: answered?.[at] }));
    });
    Promise.all(calls).then(
      () => {
        const votes: Vote[] = [];
        batch.operations.forEach((operation, index) => {
          const vote = joined(operation, answers[index] ?? []);
          if (vote !== undefined) votes[index] = vote;
        });
        reply({ kind: "votes", number, votes, isSameIncarnation: true });
      },
      () => {
        // A closed connection has its own event; nothing else arrives here.
      },
    );
  }

  /** Undefined if that is not answered, but something else. */
  async #call(
    operations: readonly Operation[],
    fences: string,
    slot: number,
    number: number,
  ): Promise<readonly Vote[] | undefined> {
    const member = this.#cluster.slots[slot]?.[0] ?? "";
    const name = this.#loaded.has(member) ? "evalsha" : "eval";
    this.#loaded.add(member);
    this.#last.set(slot, number);
    const send = (by: "eval" | "evalsha"): Promise<unknown> => {
      const script = by === "eval" ? BATCH_SCRIPT : BATCH_SHA;
      // The record would be in another slot, so each slot has its own fences.
      const bytes = this.#wire.encode(by, script, operations, "", number, fences);
      return sendBytes(this.#cluster, by, bytes, slot);
    };
    try {
      const reply = await send(name).catch((error: unknown) => {
        if (!isNoScript(error)) throw error;
        if (this.#last.get(slot) === number) return send("eval");
        // What was sent to the slot since may have been executed, and must not be overtaken. A new connection sends
        // what is owed in order.
        this.close();
        throw new Error("Connection is closed.");
      });
      const decoded = decodeReply(reply, operations);
      if (outOfStep({ number }, decoded) !== undefined) return undefined;
      return decoded.kind === "votes" ? decoded.votes : [];
    } catch (error) {
      if (!isConnectionClosed(error)) return operations.map(() => operationFault(error));
      // That of the whole Cluster has its own event.
      if (this.#cluster.status !== "ready") throw error;
      // ioredis finds out only now and then who has the slots of a member that is gone.
      this.#cluster.refreshSlotsCache();
      for (const each of operations) {
        if (each.kind === "release") this.#owe(each, fences, slot, number);
      }
      return operations.map(() => faultVote("disconnected", true, "its member is not connected"));
    }
  }

  /** A release whose member is gone is sent again, also to the one that takes its place, until its keys expire. */
  #owe(one: OperationOf<"release">, fences: string, slot: number, number: number): void {
    if (this.#owed.size >= MAX_OWED || this.#owed.has(one)) return;
    const untilMs = this.#clock.steady() + one.ttlMs;
    // Who waits now may be gone by then, as where a node is down.
    this.#owed.set(withoutPlace(one), { fences, slot, number, untilMs });
    this.#again ??= setTimeout(this.#sendOwed, OWED_PAUSE_MS).unref();
  }

  readonly #sendOwed = (): void => {
    this.#again = undefined;
    const nowMs = this.#clock.steady();
    for (const [release, { fences, slot, number, untilMs }] of this.#owed) {
      if (nowMs >= untilMs) this.#owed.delete(release);
      else {
        void this.#call([release], fences, slot, number).then(
          (votes) => votes?.[0]?.kind !== "fault" && this.#owed.delete(release),
          () => {},
        );
      }
    }
    if (this.#owed.size > 0) this.#again = setTimeout(this.#sendOwed, OWED_PAUSE_MS).unref();
  };

  close(): void {
    clearTimeout(this.#again);
    dropClient(this.#cluster);
  }
}
