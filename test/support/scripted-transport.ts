import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionEvents,
  HandshakeReply,
  HandshakeRequest,
  Transport,
} from "../../src/channel/transport.js";
import type { Handshake } from "../../src/channel/node-connection.js";
import type { IncarnationRecord } from "../../src/protocol/record.js";
import { nodeListText } from "../../src/protocol/node-list.js";
import type { Vote } from "../../src/protocol/operation.js";
import { CAPABLE } from "./capable.js";
import { granted } from "./votes.js";

export interface SentHandshake {
  readonly request: HandshakeRequest;
  readonly reply: (reply: HandshakeReply) => void;
}

export interface SentBatch {
  readonly batch: Batch;
  readonly reply: (reply: BatchReply) => void;
}

/** The number of a reply that answers its request. */
export const ITS_OWN = -1;

/** What a test says, with the number of the request where it is to be that. */
function numbered<Reply extends BatchReply | HandshakeReply>(reply: Reply, number: number): Reply {
  const isItsOwn = "number" in reply && reply.number === ITS_OWN;
  return isItsOwn ? { ...reply, number } : reply;
}

export const NETWORK_FAILURE = { message: "connection reset", isMisconfigured: false };

/** A record, by default one that lets the node vote at once. */
export function recordOf(over: Partial<IncarnationRecord> = {}): IncarnationRecord {
  return {
    id: "record-a",
    runId: "run-a",
    state: "open",
    writtenMs: 1_000_000,
    // Not old by the clocks of clients.
    writerMs: 9_000_000_000_000,
    nodeCount: 1,
    maxTtlMs: 10_000,
    clockStepMs: 0,
    fellows: "record-a",
    topFence: 0,
    version: 1,
    capabilities: CAPABLE,
    nodeId: "node-a",
    ...over,
  };
}

/** A handshake's answer. The record is by default one that lets the node vote at once. */
export function handshakeReply(
  record: Partial<IncarnationRecord> = {},
  over: Partial<Handshake> = {},
): Handshake & { readonly record: IncarnationRecord } {
  const runId = over.runId ?? "run-a";
  return {
    kind: "handshake",
    number: ITS_OWN,
    connectionId: "1",
    runId,
    nodeTimeMs: 1_000_000,
    nodeList: nodeListText([{ id: "node-a", name: "a" }]),
    lastNodeList: "",
    capabilities: CAPABLE,
    problems: [],
    earlierTtlMs: 0,
    sentSteadyMs: 0,
    ...over,
    record: recordOf({ runId, ...record }),
  };
}

/** One connection: records what is sent on it; the test opens, answers and closes it. */
export class ScriptedConnection implements Connection {
  readonly handshakes: SentHandshake[] = [];
  readonly batches: SentBatch[] = [];
  readonly events: ConnectionEvents;
  isClosed = false;

  constructor(events: ConnectionEvents) {
    this.events = events;
  }

  handshake(request: HandshakeRequest, reply: (reply: HandshakeReply) => void): void {
    const { number } = request;
    this.handshakes.push({ request, reply: (answer) => reply(numbered(answer, number)) });
  }

  send(batch: Batch, reply: (reply: BatchReply) => void): void {
    this.batches.push({ batch, reply: (answer) => reply(numbered(answer, batch.number)) });
  }

  close(): void {
    this.isClosed = true;
  }

  /** The network breaks it. */
  fail(message = NETWORK_FAILURE.message, isMisconfigured = false): void {
    this.isClosed = true;
    this.events.onClose({ message, isMisconfigured });
  }

  /** Opens and answers the handshake. */
  open(reply: HandshakeReply = handshakeReply()): void {
    this.events.onOpen();
    this.answerHandshake(reply);
  }

  answerHandshake(reply: HandshakeReply): void {
    const sent = this.handshakes.at(-1);
    if (sent === undefined) throw new Error("no handshake was sent");
    sent.reply(reply);
  }

  batch(index: number): SentBatch {
    const sent = this.batches.at(index);
    if (sent === undefined) throw new Error(`no batch ${index} of ${this.batches.length}`);
    return sent;
  }

  /** Grants all operations of a batch, or answers with the votes given. */
  answer(
    index: number,
    votes?: readonly Vote[],
    isSameIncarnation = true,
    number: number | undefined = ITS_OWN,
  ): void {
    const { batch, reply } = this.batch(index);
    reply({
      kind: "votes",
      number,
      votes: votes ?? batch.operations.map(() => granted(1)),
      isSameIncarnation,
    });
  }

  /** The operations of each batch, as `kind ownerId`. */
  get sent(): string[][] {
    return this.batches.map(({ batch }) =>
      batch.operations.map(({ kind, ownerId }) => `${kind} ${ownerId}`),
    );
  }
}

export class ScriptedTransport implements Transport {
  readonly name: string;
  readonly connections: ScriptedConnection[] = [];

  constructor(name = "node:6379") {
    this.name = name;
  }

  connect(events: ConnectionEvents): ScriptedConnection {
    const connection = new ScriptedConnection(events);
    this.connections.push(connection);
    return connection;
  }

  get last(): ScriptedConnection {
    const connection = this.connections.at(-1);
    if (connection === undefined) throw new Error("nobody has connected");
    return connection;
  }
}
