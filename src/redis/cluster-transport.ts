import type { Cluster, Redis } from "ioredis";
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
import { faultVote, type Vote } from "../protocol/operation.js";
import { systemClock } from "../runtime/system.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../script/batch-script.js";
import { PUBLISHING_SCRIPT } from "../script/embedded-lua.js";
import { withoutPlace } from "../channel/deferred-acquires.js";
import { outOfStep } from "../channel/node-connection.js";
import { decodeReply } from "../script/batch-decoder.js";
import type { BatchWire } from "../script/batch-encoder.js";
import { sendBytes } from "./open-client.js";
import { dropClient } from "./drop-stream.js";
import { answerHandshake, connectOnce } from "./client-events.js";
import type { NodeCredentials } from "./credentials.js";
import { addressOf, ClusterMember, SILENT } from "./cluster-member.js";
import { fencesKey, inSmallTable } from "./cluster-fences.js";
import { ClusterSubscription, tellsForMs, type Slot } from "./cluster-subscription.js";
import { absentKey, MOVING } from "./slot-move.js";
import { joined, slotPartsOf, type PartVote, type SlotPart } from "./slot-parts.js";
import { slotTags, type SlotTags } from "./slot-tags.js";
import {
  connectionFailure,
  isConnectionClosed,
  isForbiddenKey,
  isNoScript,
  isOfClusterMember,
  isTryAgain,
  operationFault,
} from "../script/redis-errors.js";

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
  readonly #nodeTimeoutMs: number;
  readonly #clock: Clock;
  /** The latest. */
  #subscription: ClusterSubscription | undefined;

  constructor(
    name: string,
    open: () => Cluster,
    wire: BatchWire,
    nodeTimeoutMs: number,
    credentials?: NodeCredentials,
    clock = systemClock(),
  ) {
    this.name = name;
    this.#nodeTimeoutMs = nodeTimeoutMs;
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
    const listen = (slot: Slot, forMs: number): void =>
      this.#subscription?.listen(cluster, slot, forMs);
    const [wire, clock, timeoutMs] = [this.#wire, this.#clock, this.#nodeTimeoutMs];
    return new ClusterConnection(cluster, wire, events, clock, timeoutMs, listen);
  }

  /** Open once the channel is subscribed to in some slot, which follows from what is sent over the connection. */
  subscribe(channel: string, events: SubscriptionEvents): Subscription {
    this.#subscription = new ClusterSubscription(channel, this.#clock, events);
    return this.#subscription;
  }
}

/** How many members are asked about the Cluster. */
const MAX_ASKED = 3;

const NO_MEMBER = new Error("the Cluster lists no master");

const GONE = faultVote("disconnected", true, "its member is not connected");
const UNANSWERED = faultVote("suspected", true, SILENT.message);
const UNASKED = faultVote("suspected", false, SILENT.message);

type KeysOfSlot = readonly [fences: string, absent: string];

class ClusterConnection implements Connection {
  readonly #cluster: Cluster;
  readonly #wire: BatchWire;
  readonly #listen: (slot: Slot, forMs: number) => void;
  /** Known when the handshake is answered, so before any batch. */
  #tags: SlotTags = [];
  /** Members that were sent the script, by address. */
  readonly #loaded = new Set<string>();
  /** By slot: the number of the last call. */
  readonly #last = new Map<number, number>();
  readonly #clock: Clock;
  readonly #nodeTimeoutMs: number;
  /** By address. */
  readonly #members = new Map<string, ClusterMember>();

  /** @param listen the process may be told of something in that slot */
  constructor(
    cluster: Cluster,
    wire: BatchWire,
    events: ConnectionEvents,
    clock: Clock,
    nodeTimeoutMs: number,
    listen: (slot: Slot, forMs: number) => void,
  ) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#nodeTimeoutMs = nodeTimeoutMs;
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
    const { member, nodes } = await this.#firstToAnswer();
    // The id of any one member distinguishes clusters, and detects one that was given twice.
    const ids = nodes.split("\n").flatMap((line) => line.split(" ")[0] || []);
    const runId = `cluster ${ids.toSorted()[0] ?? ""}`;
    const maxTtlMs = Math.max(raisedMs, firstTtlMs);
    this.#tags = await slotTags();
    const capabilities = { ...OF_CLUSTER, pubSub: await this.#mayPublish(member) };
    const record: IncarnationRecord = {
      ...{ id: NO_RECORD, runId, state: "unkept", fellows: "", topFence: 0 },
      ...{ writtenMs: 0, writerMs: 0, nodeCount, maxTtlMs, clockStepMs },
      ...{ version: PROTOCOL_VERSION, capabilities },
      nodeId: runId.replaceAll(/\W/g, "-"),
    };
    const [seconds, us] = await member.time();
    const nodeTimeMs = Number(seconds) * 1_000 + Math.floor(Number(us) / 1_000);
    return {
      ...{ kind: "handshake", number, connectionId: "", runId, nodeTimeMs },
      ...{ capabilities, problems: [], record, nodeList: "", lastNodeList: "" },
      earlierTtlMs: 0,
    };
  }

  /** One of a few members, as one may be frozen, and how it lists all. */
  async #firstToAnswer(): Promise<{ readonly member: Redis; readonly nodes: string }> {
    const asked = this.#cluster.nodes("master").slice(0, MAX_ASKED);
    const answers = asked.map(async (member) => ({
      member,
      nodes: String(await member.cluster("NODES")),
    }));
    try {
      return await Promise.any(answers);
    } catch (error) {
      throw (error as AggregateError).errors[0] ?? NO_MEMBER;
    }
  }

  /** In any of its slots. Where that cannot be asked, whoever waits there finds out. */
  async #mayPublish(member: Redis): Promise<boolean> {
    const address = addressOf(member.options);
    const slot = this.#cluster.slots.findIndex((addresses) => addresses?.[0] === address);
    if (slot < 0) return true;
    const channel = channelInSlot(inboxChannel(""), this.#tags[slot] as string);
    try {
      return (await member.eval(PUBLISHING_SCRIPT, 1, channel)) === 1;
    } catch (error) {
      if (isConnectionClosed(error)) throw error;
      return true;
    }
  }

  /** One script call per slot; within a slot, the order is the batch's. */
  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    const slots = new Map<number, SlotPart[]>();
    for (const part of slotPartsOf(batch.operations, batch.number)) {
      const others = slots.get(part.slot);
      if (others === undefined) slots.set(part.slot, [part]);
      else others.push(part);
    }
    const answers: PartVote[][] = batch.operations.map(() => []);
    let number: number | undefined = batch.number;
    const calls = [...slots].map(async ([slot, parts]) => {
      const forMs = Math.max(...parts.map(({ operation }) => tellsForMs(operation)));
      const tag = this.#tags[slot] as string;
      if (forMs > 0) this.#listen({ number: slot, tag }, forMs);
      const keysOfSlot = [fencesKey(tag), absentKey(tag)] as const;
      const answered = await this.#call(parts, keysOfSlot, slot);
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

  /**
   * Undefined if that is not answered, but something else.
   *
   * @param mayLackScript its member may, even if one was sent it
   */
  async #call(
    parts: readonly SlotPart[],
    keysOfSlot: KeysOfSlot,
    slot: number,
    mayLackScript = false,
  ): Promise<readonly Vote[] | undefined> {
    const operations = parts.map(({ operation }) => inSmallTable(operation));
    const { number } = parts[0] as SlotPart;
    const address = this.#cluster.slots[slot]?.[0] ?? "";
    const member = this.#memberAt(address);
    if (member.isSilent) {
      member.tryAgain();
      return operations.map(() => UNASKED);
    }
    const name = this.#loaded.has(address) && !mayLackScript ? "evalsha" : "eval";
    this.#loaded.add(address);
    this.#last.set(slot, Math.max(number, this.#last.get(slot) ?? 0));
    const send = (by: "eval" | "evalsha"): Promise<unknown> => {
      const script = by === "eval" ? BATCH_SCRIPT : BATCH_SHA;
      // The record would be in another slot, so each slot has its own fences.
      const bytes = this.#wire.encode(by, script, operations, "", number, ...keysOfSlot);
      return sendBytes(this.#cluster, by, bytes, slot);
    };
    const sendOnce = (): Promise<unknown> =>
      send(name).catch((error: unknown) => {
        if (!isNoScript(error)) throw error;
        if (this.#last.get(slot) === number) return send("eval");
        // What was sent to the slot since may have been executed, and must not be overtaken. A new connection sends
        // what is owed in order.
        this.close();
        throw new Error("Connection is closed.");
      });
    try {
      const decoded = decodeReply(await member.ask(sendOnce), operations);
      if (outOfStep({ number }, decoded) !== undefined) return undefined;
      return decoded.kind === "votes" ? decoded.votes : [];
    } catch (error) {
      if (error === SILENT) return operations.map(() => UNANSWERED);
      const isMoving = isTryAgain(error);
      if (parts.length > 1 && (isMoving || isForbiddenKey(error))) {
        const why = isMoving
          ? MOVING
          : faultVote("server", false, connectionFailure(error).message);
        return await this.#callApart(parts, keysOfSlot, slot, why, name === "eval");
      }
      if (isMoving) return operations.map(() => MOVING);
      const isClosed = isConnectionClosed(error);
      // That of the whole Cluster has its own event.
      if (isClosed && this.#cluster.status !== "ready") throw error;
      // ioredis finds out only now and then who has the slots of a member that is gone, or was removed.
      if (isClosed || isOfClusterMember(error)) this.#cluster.refreshSlotsCache();
      return operations.map(() => (isClosed ? GONE : operationFault(error)));
    }
  }

  /**
   * A call was rejected because of one of its operations, or another: each is sent again alone. If something was sent to the
   * slot since, that may have been executed: an extension and a release may come after it, and nothing else.
   *
   * @param why the vote of what is not sent again
   * @param withScript the call carried it, which was not read: nobody may wait for the next to do so, as then
   *   they could not be sent in order
   */
  async #callApart(
    parts: readonly SlotPart[],
    keysOfSlot: KeysOfSlot,
    slot: number,
    why: Vote,
    withScript: boolean,
  ): Promise<readonly Vote[] | undefined> {
    const isLast = this.#last.get(slot) === parts[0]?.number;
    const nowMs = this.#clock.now();
    const calls = parts.map(async (part) => {
      const { kind, sendBeforeMs } = part.operation;
      const mayBeLate = kind === "extend" || kind === "release";
      if (sendBeforeMs < nowMs || !(isLast || mayBeLate)) return [why];
      const operation = isLast ? part.operation : withoutPlace(part.operation);
      return await this.#call([{ ...part, operation }], keysOfSlot, slot, withScript);
    });
    const votes = await Promise.all(calls);
    return votes.includes(undefined) ? undefined : votes.map((vote) => vote?.[0] ?? why);
  }

  #memberAt(address: string): ClusterMember {
    const known = this.#members.get(address);
    if (known !== undefined) return known;
    const [clock, timeoutMs] = [this.#clock, this.#nodeTimeoutMs];
    const member = new ClusterMember(this.#cluster, address, clock, timeoutMs);
    this.#members.set(address, member);
    return member;
  }

  close(): void {
    for (const member of this.#members.values()) member.close();
    dropClient(this.#cluster);
  }
}
