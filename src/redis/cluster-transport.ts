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
import { detached } from "../runtime/detached.js";
import { decodeReply } from "../script/batch-codec.js";
import { readyCommand, type BatchWire } from "./batch-wire.js";
import { answerHandshake, connectOnce } from "./client-events.js";
import { fencesKey, inSmallTable } from "./cluster-fences.js";
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

  constructor(name: string, open: () => Cluster, wire: BatchWire) {
    this.name = name;
    this.#open = open;
    this.#wire = wire;
  }

  connect(events: ConnectionEvents): Connection {
    return new ClusterConnection(this.#open(), this.#wire, events);
  }
}

class ClusterConnection implements Connection {
  readonly #cluster: Cluster;
  readonly #wire: BatchWire;

  constructor(cluster: Cluster, wire: BatchWire, events: ConnectionEvents) {
    this.#cluster = cluster;
    this.#wire = wire;
    connectOnce(cluster, events);
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    detached(() => answerHandshake(this.#handshake(request), reply));
  }

  async #handshake({
    nodeCount,
    maxTtlMs,
    clockStepMs,
  }: HandshakeRequest): Promise<HandshakeReply> {
    // The id of any one member distinguishes clusters, and detects one that was given twice.
    const nodes = String(await this.#cluster.cluster("NODES"));
    const ids = nodes.split("\n").flatMap((line) => line.split(" ")[0] || []);
    const runId = `cluster ${ids.toSorted()[0] ?? ""}`;
    const record: IncarnationRecord = {
      ...{ id: "", runId, state: "unkept", fellows: "", topFence: 0 },
      ...{ writtenMs: 0, writerMs: 0, nodeCount, maxTtlMs, clockStepMs },
      ...{ version: PROTOCOL_VERSION, capabilities: OF_CLUSTER },
      nodeId: runId.replaceAll(/\W/g, "-"),
    };
    return {
      ...{ kind: "handshake", connectionId: "", runId, nodeTimeMs: 0 },
      ...{ capabilities: OF_CLUSTER, problems: [], record, nodeList: "" },
    };
  }

  /** One script call per slot; within a slot, the order is the batch's. */
  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    detached(() => this.#send(batch, reply));
  }

  #send(batch: Batch, reply: (reply: BatchReply) => void): void {
    const slots = new Map<number, number[]>();
    batch.operations.forEach((operation, index) => {
      const slot = keySlot(operation.keys.lockKey);
      const indexes = slots.get(slot);
      if (indexes === undefined) slots.set(slot, [index]);
      else indexes.push(index);
    });
    const votes: Vote[] = [];
    const calls = [...slots].map(async ([slot, indexes]) => {
      const operations = indexes.map((index) => inSmallTable(batch.operations[index] as Operation));
      const answered = await this.#call(operations, slot);
      indexes.forEach((index, at) => {
        const vote = answered[at];
        if (vote !== undefined) votes[index] = vote;
      });
    });
    Promise.all(calls).then(
      () => reply({ kind: "votes", votes, isSameIncarnation: true }),
      () => {
        // A closed connection has its own event; nothing else arrives here.
      },
    );
  }

  async #call(operations: readonly Operation[], slot: number): Promise<readonly Vote[]> {
    // The record would be in another slot, so each slot has its own fences.
    const bytes = this.#wire.encode("eval", BATCH_SCRIPT, operations, "", fencesKey(slot));
    try {
      const command = readyCommand("eval", bytes, slot);
      this.#cluster.sendCommand(command);
      const values = await command.promise;
      const decoded = decodeReply(values, operations);
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
