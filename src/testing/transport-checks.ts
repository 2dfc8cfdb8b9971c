import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type {
  Batch,
  BatchReply,
  Connection,
  ConnectionFailure,
  HandshakeReply,
  HandshakeRequest,
  Transport,
} from "../channel/transport.js";
import { keysOf } from "../kinds/exclusive.js";
import { hasTransport, OWN_TRANSPORT, type NodeConfig } from "../nodes/simulated-nodes.js";
import { fenceSlackUs } from "../protocol/fencing.js";
import { inboxChannel } from "../protocol/keys.js";
import { newOperation, type Operation, type Vote } from "../protocol/operation.js";
import { BatchWire } from "../script/batch-encoder.js";
import { within } from "../runtime/within.js";
import { configureNode } from "../redis/node-config.js";
import type { CommandedNode } from "./flush-nodes.js";

/** One thing that every transport must do. */
export interface TransportCheck {
  /** What it must do, in words. */
  readonly name: string;
  /** Rejects with an error that says what it did instead. */
  readonly run: () => Promise<void>;
}

/** How long anything may take, ms. */
const PATIENCE_MS = 5_000;

/** What should not come has had this long to come, ms. */
const QUIET_MS = 50;

/** Keys are left to their ttl, ms. */
const TTL_MS = 10_000;

const MANY = 200;
const CONSTANTS = { fenceSlackUs: fenceSlackUs(60_000) };

/** More than 32 bits, and not at the end of what is exact. */
const FIRST_NUMBER = 281_474_976_710_000;

/** What a label can be. */
const LABEL = 'line\r\nbreak, "quotes", $5, ä, 锁 and 🔒';

/**
 * What a node with a `transport` of your own must do, as tests for any framework:
 * `for (const { name, run } of transportChecks(node, server)) it(name, run)`. It takes any other node as well.
 *
 * @param node as a `LockManager` gets it
 * @param server the server behind it, with Redis 6.2 or later: `SCRIPT FLUSH`, `GET` and `PUBLISH` are run on it. The checks leave
 *   a few keys for ten seconds
 */
export function transportChecks(
  node: NodeConfig,
  server: Pick<CommandedNode, "command">,
): readonly TransportCheck[] {
  return CHECKS.flatMap(([name, check]) => {
    if (check === checkMessages && transportOf(node).subscribe === undefined) return [];
    return { name, run: () => inScene(node, server, check) };
  });
}

type Check = (scene: Scene) => Promise<void>;

const CHECKS: readonly (readonly [name: string, check: Check])[] = [
  ["opens a connection, and says so later", checkOpening],
  ["gives each request the reply to its own", checkReplies],
  ["executes requests in the order in which they are sent", checkOrder],
  ["answers a request when the server has executed it", checkExecution],
  ["passes errors of the server on", checkErrors],
  ["sends nothing twice, nor again after an error", checkOnce],
  ["leaves text as it is", checkText],
  ["leaves large numbers exact", checkNumbers],
  ["carries large requests and replies", checkSize],
  ["shakes hands, again and again", checkHandshake],
  ["ends the previous connection, and says so once", checkPrevious],
  ["ends when it is closed, and answers nothing from then on", checkClose],
  ["passes messages of a channel on, in order", checkMessages],
];

async function inScene(
  node: NodeConfig,
  server: Pick<CommandedNode, "command">,
  check: Check,
): Promise<void> {
  const scene = new Scene(transportOf(node), server);
  try {
    await check(scene);
  } finally {
    await scene.end();
  }
}

function transportOf(node: NodeConfig): Transport {
  if (hasTransport(node)) return node[OWN_TRANSPORT](CONSTANTS);
  return configureNode(node, 0, PATIENCE_MS, new BatchWire(CONSTANTS)).transport;
}

/** One check at work: its connections, and names that nobody else uses. */
class Scene {
  readonly transport: Transport;
  readonly server: Pick<CommandedNode, "command">;
  readonly #opened: Opened[] = [];
  readonly #id = randomUUID();

  constructor(transport: Transport, server: Pick<CommandedNode, "command">) {
    this.transport = transport;
    this.server = server;
  }

  async open(): Promise<Opened> {
    const opened = new Opened(this.transport);
    this.#opened.push(opened);
    await opened.opening;
    return opened;
  }

  operation(kind: "acquire" | "release", name: string, ownerId: string): Operation {
    return newOperation(kind, {
      ...{ keys: keysOf("lock:", `${this.#id} ${name}`), ownerId, ttlMs: TTL_MS },
      ...{ fence: Date.now() * 1_000, sendBeforeMs: Number.POSITIVE_INFINITY },
    });
  }

  holderOf(name: string): Promise<unknown> {
    const [key = ""] = keysOf("lock:", `${this.#id} ${name}`).lockKeys;
    return this.server.command("GET", key);
  }

  handshake(over: Partial<HandshakeRequest> = {}): HandshakeRequest {
    return {
      ...{ number: FIRST_NUMBER, connectionName: nameOf(randomUUID()), previous: undefined },
      ...{ newId: randomUUID(), ifAbsent: undefined, nodeCount: 1, maxTtlMs: 0, firstTtlMs: 0 },
      ...{ clockStepMs: 0, wallMs: Date.now(), isDurable: false, order: undefined },
      nodeList: { keyPrefix: "lock:", nodeId: undefined, isToGetId: false, list: undefined },
      // Nothing is written on the node's record.
      ...{ isLooking: true, ...over },
    };
  }

  async end(): Promise<void> {
    for (const opened of this.#opened) opened.close();
    await Promise.all(this.#opened.map(({ closed }) => soon(closed, "onClose, after close()")));
  }
}

function nameOf(uuid: string): string {
  return `check-${uuid}`;
}

/** A connection, and what it has said. */
class Opened {
  readonly connection: Connection;
  readonly opening: Promise<void>;
  readonly closed: Promise<ConnectionFailure>;
  openCount = 0;
  closeCount = 0;
  #number = FIRST_NUMBER;

  constructor(transport: Transport) {
    let onOpen = (): void => {};
    let onClose: ((failure: ConnectionFailure) => void) | undefined;
    const opening = new Promise<void>((resolve) => {
      onOpen = resolve;
    });
    this.closed = new Promise<ConnectionFailure>((resolve) => {
      onClose = resolve;
    });
    this.connection = transport.connect({
      onOpen: () => {
        this.openCount++;
        onOpen();
      },
      onClose: (failure) => {
        this.closeCount++;
        onClose?.(failure);
      },
    });
    check(this.openCount + this.closeCount === 0, "it told something from within connect()");
    const failed = this.closed.then(({ message }) => {
      throw new Error(`the connection did not open: ${message}`);
    });
    this.opening = soon(Promise.race([opening, failed]), "onOpen");
  }

  close(): void {
    if (this.closeCount === 0) this.connection.close();
  }

  /** @param numbers of the requests, which their replies have to repeat */
  batchOf(operations: readonly Operation[], withScript: boolean): Batch {
    const number = this.#number;
    this.#number += operations.length;
    return { number, operations, recordId: "", withScript };
  }

  /** The reply to one call, as soon as it is there. */
  reply(batch: Batch): Promise<BatchReply> {
    let isSending = true;
    const answered = new Promise<BatchReply>((resolve, reject) => {
      this.connection.send(batch, (reply) => {
        if (isSending) reject(new Error("it answered from within the call that sends"));
        else resolve(reply);
      });
    });
    isSending = false;
    return soon(answered, "the reply to a call");
  }

  async votes(operations: readonly Operation[], withScript = true): Promise<readonly Vote[]> {
    const batch = this.batchOf(operations, withScript);
    const reply = await this.reply(batch);
    if (reply.kind !== "votes") throw new Error(`a call was answered with ${wordsOf(reply)}`);
    equal(reply.number, batch.number, "the number that a reply repeats");
    return reply.votes;
  }

  async shake(request: HandshakeRequest): Promise<Extract<HandshakeReply, { kind: "handshake" }>> {
    const answered = new Promise<HandshakeReply>((resolve) => {
      this.connection.handshake(request, resolve);
    });
    const reply = await soon(answered, "the reply to a handshake");
    if (reply.kind === "handshake") return reply;
    throw new Error(`the handshake failed: ${reply.failure.message}`);
  }
}

async function checkOpening(scene: Scene): Promise<void> {
  const opened = await scene.open();
  await quiet();
  equal(opened.openCount, 1, "times that it said that it is open");
  equal(opened.closeCount, 0, "times that it said that it is closed");
}

async function checkReplies(scene: Scene): Promise<void> {
  const opened = await scene.open();
  const held = Array.from({ length: MANY }, (_, index) => index % 3 === 0);
  await opened.votes(
    held.flatMap((is, index) => (is ? scene.operation("acquire", `${index}`, "holder") : [])),
  );
  const votes = await Promise.all(
    held.map((_, index) => opened.votes([scene.operation("acquire", `${index}`, "other")])),
  );
  const kinds = votes.map(([vote]) => vote?.kind);
  equal(
    kinds,
    held.map((is) => (is ? "refused" : "granted")),
    `the answers to ${MANY} requests that were sent at once`,
  );
}

async function checkOrder(scene: Scene): Promise<void> {
  const opened = await scene.open();
  const votes = await Promise.all(
    Array.from({ length: MANY }, (_, index) => {
      const ownerId = `owner ${Math.floor(index / 2)}`;
      return opened.votes([
        scene.operation(index % 2 === 0 ? "acquire" : "release", "name", ownerId),
      ]);
    }),
  );
  const kinds = votes.map(([vote]) => vote?.kind);
  equal(
    kinds,
    kinds.map(() => "granted"),
    "the answers to acquires and releases of one name in turn",
  );
}

async function checkExecution(scene: Scene): Promise<void> {
  const opened = await scene.open();
  for (let index = 0; index < 5; index++) {
    const [vote] = await opened.votes([scene.operation("acquire", `${index}`, "holder")]);
    equal(vote?.kind, "granted", "the answer to an acquire");
    equal(await scene.holderOf(`${index}`), "holder", "the key when the acquire was answered");
  }
}

async function checkErrors(scene: Scene): Promise<void> {
  const opened = await scene.open();
  await scene.server.command("SCRIPT", "FLUSH");
  const batch = opened.batchOf([scene.operation("acquire", "name", "holder")], false);
  const reply = await opened.reply(batch);
  equal(reply.kind, "noScript", "the answer to a call of a script that the server does not know");
  equal(opened.closeCount, 0, "times that an error has ended the connection");
}

async function checkOnce(scene: Scene): Promise<void> {
  const opened = await scene.open();
  await scene.server.command("SCRIPT", "FLUSH");
  const calls = ["one", "two"].map((ownerId) =>
    opened.reply(opened.batchOf([scene.operation("acquire", "name", ownerId)], false)),
  );
  await Promise.all(calls);
  await quiet();
  equal(await scene.holderOf("name"), null, "the key after a call that the server refused");
  const [vote] = await opened.votes([scene.operation("acquire", "name", "three")]);
  equal(vote?.kind, "granted", "the answer to the first call with the script");
  await opened.votes([scene.operation("release", "name", "three")], false);
  await quiet();
  equal(await scene.holderOf("name"), null, "the key after an acquire and its release");
}

async function checkText(scene: Scene): Promise<void> {
  const opened = await scene.open();
  const ownerId = `${"A".repeat(22)}:${LABEL}`;
  await opened.votes([scene.operation("acquire", LABEL, ownerId)]);
  equal(await scene.holderOf(LABEL), ownerId, "an owner on the server");
  const [vote] = await opened.votes([scene.operation("acquire", LABEL, "other")]);
  equal(vote?.kind === "refused" ? vote.label : undefined, LABEL, "a label that was read back");
}

async function checkNumbers(scene: Scene): Promise<void> {
  const opened = await scene.open();
  for (const number of [1, 2 ** 31, 2 ** 32 + 1, 2 ** 48 + 1]) {
    const operations = [scene.operation("acquire", "name", "holder")];
    const reply = await opened.reply({ number, operations, recordId: "", withScript: true });
    equal(reply.kind === "votes" ? reply.number : reply.kind, number, "a number that is repeated");
  }
}

async function checkSize(scene: Scene): Promise<void> {
  const opened = await scene.open();
  const label = "x".repeat(1_000);
  const acquires = (ownerId: string): Operation[] =>
    Array.from({ length: MANY }, (_, index) =>
      scene.operation("acquire", `${index} ${label}`, ownerId),
    );
  const granted = await opened.votes(acquires(`${"A".repeat(22)}:${label}`));
  equal(granted.length, MANY, "votes of a large call");
  const refused = await opened.votes(acquires("other"));
  const labels = refused.map((vote) => (vote.kind === "refused" ? vote.label : vote.kind));
  equal(
    labels,
    labels.map(() => label),
    "labels in a large reply",
  );
}

async function checkHandshake(scene: Scene): Promise<void> {
  const opened = await scene.open();
  const first = await opened.shake(scene.handshake());
  const again = await opened.shake(scene.handshake({ number: FIRST_NUMBER + 1 }));
  equal([first.number, again.number], [FIRST_NUMBER, FIRST_NUMBER + 1], "numbers of handshakes");
  equal(again.connectionId, first.connectionId, "the id of one connection");
  equal(again.runId, first.runId, "the run of one server");
  const other = await scene.open();
  const { connectionId } = await other.shake(scene.handshake());
  check(connectionId !== first.connectionId, "two connections have one id");
}

async function checkPrevious(scene: Scene): Promise<void> {
  const before = await scene.open();
  const request = scene.handshake();
  const { connectionId } = await before.shake(request);
  const after = await scene.open();
  const previous = { name: request.connectionName, connectionId };
  await after.shake(scene.handshake({ previous }));
  await soon(before.closed, "onClose of the connection that the server ended");
  await quiet();
  equal(before.closeCount, 1, "times that it said that it is closed");
  equal(before.openCount, 1, "times that it opened");
  equal(after.closeCount, 0, "times that another connection was closed with it");
}

async function checkClose(scene: Scene): Promise<void> {
  const opened = await scene.open();
  let answerCount = 0;
  for (let index = 0; index < 5; index++) {
    const batch = opened.batchOf([scene.operation("acquire", `${index}`, "holder")], true);
    opened.connection.send(batch, () => answerCount++);
  }
  opened.connection.close();
  equal(opened.closeCount, 0, "times that it told from within close() that it is closed");
  await soon(opened.closed, "onClose, after close()");
  const answeredCount = answerCount;
  await quiet();
  equal(answerCount, answeredCount, "answers up to the end");
  equal(opened.closeCount, 1, "times that it said that it is closed");
}

async function checkMessages(scene: Scene): Promise<void> {
  const channel = inboxChannel(randomUUID());
  const heard: string[] = [];
  let endCount = 0;
  let subscription: { close(): void } | undefined;
  const opening = new Promise<void>((resolve) => {
    subscription = scene.transport.subscribe?.(channel, {
      onOpen: resolve,
      onMessage: (message) => void heard.push(message),
      onClose: () => endCount++,
    });
  });
  try {
    await soon(opening, "onOpen of a subscription");
    const sent = Array.from({ length: 20 }, (_, index) => `${index} ${LABEL}`);
    for (const message of sent) {
      equal(await scene.server.command("PUBLISH", channel, message), 1, "clients that listen");
    }
    await quiet();
    equal(heard, sent, "messages");
  } finally {
    subscription?.close();
  }
  await quiet();
  equal(endCount, 0, "times that it told of the end that it was asked for");
}

function check(isTrue: boolean, message: string): void {
  if (!isTrue) throw new Error(message);
}

function equal(found: unknown, wanted: unknown, what: string): void {
  if (isDeepStrictEqual(found, wanted)) return;
  throw new Error(`${what}: ${wordsOf(found)}, not ${wordsOf(wanted)}`);
}

function wordsOf(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}

const quiet = (): Promise<void> => sleep(QUIET_MS);

function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  return within(promise, PATIENCE_MS, `${what} did not come`);
}
