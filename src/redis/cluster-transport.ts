import keySlot from "cluster-key-slot";
import type { Cluster } from "ioredis";
import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  HandshakeReply,
  HandshakeRequest,
  Transport,
} from "../channel/transport.js";
import { OF_CLUSTER } from "../protocol/capabilities.js";
import { PROTOCOL_VERSION, type IncarnationRecord } from "../protocol/record.js";
import type { Operation, Vote } from "../protocol/operation.js";
import { BATCH_SCRIPT } from "../script/batch-script.js";
import { outOfStep } from "../channel/out-of-step.js";
import { decodeReply } from "../script/batch-decoder.js";
import type { BatchWire } from "../script/batch-encoder.js";
import { sendBytes } from "./open-client.js";
import { answerHandshake, connectOnce } from "./client-events.js";
import type { NodeCredentials } from "./credentials.js";
import { fencesKey, inSmallTable } from "./cluster-fences.js";
import { slotTags, type SlotTags } from "./slot-tags.js";
import { isConnectionClosed, operationFault } from "../script/redis-errors.js";

/**
 * A Redis Cluster counted as one node.
 *
 * Weaker than an independent master: a failover inside it can lose a lock. It keeps no record, so it is never
 * quarantined, and a connection cannot be ended from another one.
 */
export class ClusterTransport implements Transport {
  readonly name: string;
  readonly #open: () => Cluster;
  readonly #wire: BatchWire;
  readonly #credentials: NodeCredentials | undefined;

  constructor(name: string, open: () => Cluster, wire: BatchWire, credentials?: NodeCredentials) {
    this.name = name;
    this.#open = open;
    this.#wire = wire;
    this.#credentials = credentials;
  }

  get problem(): string | undefined {
    return this.#credentials?.problem;
  }

  connect(events: ConnectionEvents): Connection {
    return new ClusterConnection(this.#open(), this.#wire, events);
  }
}

class ClusterConnection implements Connection {
  readonly #cluster: Cluster;
  readonly #wire: BatchWire;
  /** Known when the handshake is answered, so before any batch. */
  #tags: SlotTags | undefined;

  constructor(cluster: Cluster, wire: BatchWire, events: ConnectionEvents) {
    this.#cluster = cluster;
    this.#wire = wire;
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
    const record: IncarnationRecord = {
      ...{ id: "", runId, state: "unkept", fellows: "", topFence: 0 },
      ...{ writtenMs: 0, writerMs: 0, nodeCount, maxTtlMs, clockStepMs },
      ...{ version: PROTOCOL_VERSION, capabilities: OF_CLUSTER },
      nodeId: runId.replaceAll(/\W/g, "-"),
    };
    this.#tags = await slotTags();
    // Of any one member, too.
    const [seconds, us] = await this.#cluster.time();
    const nodeTimeMs = Number(seconds) * 1_000 + Math.floor(Number(us) / 1_000);
    return {
      ...{ kind: "handshake", number, connectionId: "", runId, nodeTimeMs },
      ...{ capabilities: OF_CLUSTER, problems: [], record, nodeList: "" },
      earlierTtlMs: 0,
    };
  }

  /** One script call per slot; within a slot, the order is the batch's. */
  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    const tags = this.#tags;
    if (tags === undefined) throw new Error("a batch before the handshake");
    const slots = new Map<number, number[]>();
    batch.operations.forEach((operation, index) => {
      const slot = keySlot(operation.keys.lockKey);
      const indexes = slots.get(slot);
      if (indexes === undefined) slots.set(slot, [index]);
      else indexes.push(index);
    });
    const votes: Vote[] = [];
    let number: number | undefined = batch.number;
    const calls = [...slots].map(async ([slot, indexes]) => {
      const operations = indexes.map((index) => inSmallTable(batch.operations[index] as Operation));
      const answered = await this.#call(
        operations,
        fencesKey(tags, slot),
        slot,
        batch.number + (indexes[0] as number),
      );
      if (answered === undefined) number = undefined;
      indexes.forEach((index, at) => {
        const vote = answered?.[at];
        if (vote !== undefined) votes[index] = vote;
      });
    });
    Promise.all(calls).then(
      () => reply({ kind: "votes", number, votes, isSameIncarnation: true }),
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
    // The record would be in another slot, so each slot has its own fences.
    const bytes = this.#wire.encode("eval", BATCH_SCRIPT, operations, "", number, fences);
    try {
      const decoded = decodeReply(await sendBytes(this.#cluster, "eval", bytes, slot), operations);
      if (outOfStep({ number }, decoded) !== undefined) return undefined;
      return decoded.kind === "votes" ? decoded.votes : [];
    } catch (error) {
      if (isConnectionClosed(error)) throw error;
      return operations.map(() => operationFault(error));
    }
  }

  close(): void {
    this.#cluster.disconnect();
  }
}
