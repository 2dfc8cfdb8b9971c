import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  HandshakeReply,
  HandshakeRequest,
  RecordOrder,
  Transport,
} from "../../src/channel/transport.js";
import type { IncarnationRecord, RecordState } from "../../src/protocol/record.js";
import { faultVote, type Operation } from "../../src/protocol/operation.js";
import { CAPABLE } from "./capable.js";
import type { ManualClock } from "./manual-clock.js";
import { NETWORK_FAILURE } from "./scripted-transport.js";
import { granted } from "./votes.js";

/** Messages on their way. Each lane keeps its order; which lane is next is the test's choice. */
export class FakeNet {
  #lanes: (() => void)[][] = [];

  lane(): (() => void)[] {
    const lane: (() => void)[] = [];
    this.#lanes.push(lane);
    return lane;
  }

  /** Delivers one message; false if there is none. */
  deliver(unit: number): boolean {
    const busy = this.#lanes.filter((lane) => lane.length > 0);
    const message = busy[Math.floor(unit * busy.length)]?.shift();
    message?.();
    return message !== undefined;
  }
}

/** A server that keeps a record as the handshake script does, and notes the acquires it executes. */
export class FakeServer {
  readonly name: string;
  readonly net: FakeNet;
  runId: string;
  record: IncarnationRecord | undefined;
  onAcquire: (operation: Operation) => void = () => {};
  readonly connections = new Set<FakeConnection>();
  readonly #clock: ManualClock;
  #nodeList = "";

  constructor(name: string, net: FakeNet, clock: ManualClock) {
    this.name = name;
    this.net = net;
    this.#clock = clock;
    this.runId = `run of ${name}`;
  }

  get transport(): Transport {
    return { name: this.name, connect: (events) => new FakeConnection(this, events) };
  }

  /** FLUSHALL: the keys are gone, the connections stay. */
  flush(): void {
    this.record = undefined;
    this.#nodeList = "";
  }

  /** Every connection breaks; what is on its way is lost. */
  dropConnections(): void {
    for (const connection of this.connections) connection.break();
  }

  handshake(request: HandshakeRequest): HandshakeReply {
    const nodeTimeMs = Math.floor(this.#clock.steady()) + 1_000_000;
    const { runId } = this;
    const answer = {
      kind: "handshake",
      number: request.number,
      connectionId: "1",
      runId,
      nodeTimeMs,
      nodeList: this.#nodeList,
      lastNodeList: this.#nodeList,
      capabilities: CAPABLE,
      problems: [],
      earlierTtlMs: this.record?.maxTtlMs ?? 0,
    } as const;
    const write = (state: RecordState): IncarnationRecord => {
      const { nodeCount, firstTtlMs: maxTtlMs, clockStepMs, newId: id, wallMs: writerMs } = request;
      const own = { id, runId, state, writtenMs: nodeTimeMs, writerMs, fellows: "", topFence: 0 };
      const common = {
        nodeCount,
        maxTtlMs,
        clockStepMs,
        version: 1,
        capabilities: CAPABLE,
        nodeId: "",
      };
      return { ...common, ...this.record, ...own };
    };
    let { record } = this;
    if (record === undefined && request.ifAbsent === undefined) return { ...answer, record };
    record ??= write(request.ifAbsent ?? "fresh");
    if (record.runId !== this.runId) record = write("forgot");
    if (request.maxTtlMs > record.maxTtlMs) record = { ...record, maxTtlMs: request.maxTtlMs };
    record = afterOrder(record, request.order);
    const { nodeId = "", isToGetId, list = "" } = request.nodeList;
    if (record.nodeId === "")
      record = { ...record, nodeId: nodeId || (isToGetId ? request.newId : "") };
    if (this.#nodeList === "") this.#nodeList = list;
    this.record = record;
    return { ...answer, record, nodeList: this.#nodeList };
  }

  execute({ operations, recordId, number }: Batch): BatchReply {
    const isSameIncarnation = recordId === "" || recordId === this.record?.id;
    const votes = operations.map((operation) => {
      if (operation.kind !== "acquire") return granted();
      if (!isSameIncarnation) return faultVote("quarantined", false, "forgot");
      this.onAcquire(operation);
      return granted(1);
    });
    return { kind: "votes", number, votes, isSameIncarnation };
  }
}

function afterOrder(record: IncarnationRecord, order: RecordOrder | undefined): IncarnationRecord {
  if (order === undefined || order.becomes === "fresh" || order.id !== record.id) return record;
  const { becomes: state } = order;
  if (state === "opening")
    return record.state === "fresh" ? { ...record, state, fellows: order.fellows } : record;
  if (state === "open") return record.state === "opening" ? { ...record, state } : record;
  return { ...record, state, fellows: "" };
}

class FakeConnection implements Connection {
  readonly #server: FakeServer;
  readonly #events: ConnectionEvents;
  readonly #toServer: (() => void)[];
  readonly #toClient: (() => void)[];
  #isOpen = true;

  constructor(server: FakeServer, events: ConnectionEvents) {
    this.#server = server;
    this.#events = events;
    this.#toServer = server.net.lane();
    this.#toClient = server.net.lane();
    server.connections.add(this);
    this.#toClient.push(() => events.onOpen());
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    this.#ask(() => this.#server.handshake(request), reply);
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    this.#ask(() => this.#server.execute(batch), reply);
  }

  close(): void {
    this.break();
  }

  break(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#server.connections.delete(this);
    this.#toServer.length = 0;
    this.#toClient.length = 0;
    this.#toClient.push(() => this.#events.onClose(NETWORK_FAILURE));
  }

  #ask<T>(execute: () => T, reply: (reply: T) => void): void {
    if (!this.#isOpen) return;
    this.#toServer.push(() => {
      const answer = execute();
      this.#toClient.push(() => reply(answer));
    });
  }
}
