import { keysOf } from "../../src/kinds/exclusive.js";
import { HeardCalls } from "../../src/channel/deferred-acquires.js";
import { companionKey, inboxChannel, queueKeyOf, RECORD_KEY } from "../../src/protocol/keys.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import { plainReply } from "../../src/memory/reply.js";
import { parseNodeGrant } from "../../src/protocol/node-messages.js";
import { newOperation, type Operation, type Vote } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { decodeReply } from "../../src/script/batch-decoder.js";
import { encodeBatch } from "../../src/script/batch-encoder.js";
import { getOrAdd } from "../oracles/get-or-add.js";
import type { Message, NodeState } from "./state.js";

const KEYS = keysOf("lock:", "a");
const QUEUE_KEY = queueKeyOf(KEYS);

/** Nothing expires by time: keys expire by an event of their own. */
const FOR_EVER_MS = 1e12;

/** Proposals are taken as they are; clamping is not tested here. */
const CONSTANTS = { fenceSlackUs: 1e12 };

/** The incarnation that every client knows. */
const RECORD_ID = "known";

export interface NodeStep {
  readonly node: NodeState;
  readonly vote: Vote;
  /** To which attempt it has given the name of its own accord. */
  readonly grants: readonly NodeGrantTo[];
}

interface NodeGrantTo {
  readonly attempt: number;
  readonly fence: number;
  /** Of the call on which the node relied. */
  readonly era: number;
}

/** One operation on one node. */
export type NodeStepper = (node: NodeState, message: Message) => NodeStep;

/**
 * Runs the script on an in-memory server. The script has no state of its own: a node in the same state answers the
 * same question in the same way, so each is asked once and the answer cached.
 */
export function stepperOf(script: string): NodeStepper {
  const known = new Map<string, NodeStep>();
  return (node, message) => {
    const { holder, fence, top, isKnown, queue, deferred } = node;
    const { kind, attempt, era, next } = message;
    const stored = `${holder} ${fence} ${top} ${isKnown} ${queue} ${deferred.join()}`;
    const question = `${stored} ${kind} ${attempt} ${message.fence} ${era} ${next}`;
    return getOrAdd(known, question, () => stepOnNode(script, node, message));
  };
}

function stepOnNode(
  script: string,
  { holder, fence, top, isKnown, queue, deferred }: NodeState,
  message: Message,
): NodeStep {
  const redis = new MemoryRedis({ nowUs: () => 0 });
  const set = (key: string, value: string) =>
    redis.execute(["SET", key, value, "PX", String(FOR_EVER_MS)]);
  if (holder !== undefined) set(KEYS.lockKey, holder);
  if (fence !== undefined) redis.execute(["HSET", RECORD_KEY, KEYS.fenceBucket, String(fence)]);
  if (top > 0) redis.execute(["HSET", RECORD_KEY, "top", String(top)]);
  if (isKnown) redis.execute(["HSET", RECORD_KEY, "id", RECORD_ID]);
  if (queue !== "") redis.execute(["ZADD", QUEUE_KEY, ...queue.split(" ")]);
  const messages: string[] = [];
  for (const [client, acquire] of deferred.entries()) {
    if (acquire !== undefined) set(deferredKey(client), acquire);
    redis.subscribe(inboxChannel(inboxOf(client)), (text) => messages.push(text));
  }
  const operation = operationOf(message, deferred.length);
  // A call is named by what it is dated by.
  const encoded = encodeBatch([operation], RECORD_ID, message.era + 1, CONSTANTS);
  const reply = decodeReply(plainReply(redis.execute(["EVAL", script, ...encoded])), [operation]);
  if (reply.kind !== "votes") throw new Error(`the script answers ${JSON.stringify(reply)}`);
  const scores = redis.execute(["ZRANGE", QUEUE_KEY, "0", "-1", "WITHSCORES"]) as string[];
  const now = textIn(redis.execute(["GET", KEYS.lockKey]));
  return {
    vote: reply.votes[0] as Vote,
    node: {
      holder: now,
      fence: numberIn(redis.execute(["HGET", RECORD_KEY, KEYS.fenceBucket])),
      top: numberIn(redis.execute(["HGET", RECORD_KEY, "top"])) ?? 0,
      isKnown,
      queue: pairsOf(scores),
      deferred: deferred.map((_, client) => textIn(redis.execute(["GET", deferredKey(client)]))),
    },
    grants: messages.flatMap((text) => grantIn(text, now)),
  };
}

function operationOf({ kind, attempt, fence, next }: Message, clientCount: number): Operation {
  if (kind === "grant") throw new Error("no node executes a message of a node");
  const isQueued = clientCount > 0;
  const waiter = isQueued && kind === "acquire" ? waiterOf(attempt, clientCount) : undefined;
  const common = {
    ...{ keys: KEYS, ownerId: String(attempt), ttlMs: FOR_EVER_MS, fence },
    sendBeforeMs: FOR_EVER_MS,
  };
  if (kind !== "release" || !isQueued) return newOperation(kind, { ...common, waiter });
  const own = { ...waiterOf(attempt, clientCount), ticket: 0, deferred: undefined };
  return newOperation("release", {
    ...common,
    waiter: next === undefined ? own : waiterOf(next, clientCount),
    proposal: 1,
  });
}

/** Each client has one place, in which its attempts follow each other. */
function waiterOf(attempt: number, clientCount: number): Waiter {
  return {
    inbox: inboxOf(attempt % clientCount),
    ticket: attempt + 1,
    turnMs: 10,
    deferred: { ownerId: String(attempt), ttlMs: FOR_EVER_MS, maxAgeMs: 1 },
  };
}

function inboxOf(client: number): string {
  return `inbox-${client}`;
}

function deferredKey(client: number): string {
  return companionKey(`deferred-${inboxOf(client)}`, KEYS.lockKey);
}

/** What a message of the node says, as a client reads it that has sent one call in each life of a key. */
function grantIn(text: string, holder = ""): NodeGrantTo[] {
  const grant = parseNodeGrant(text);
  if (grant === undefined) return [];
  const calls = new HeardCalls();
  for (let era = 0; era < grant.number; era++) {
    calls.add({ number: era + 1, count: 1, sentMs: era, recordId: RECORD_ID });
  }
  const date = calls.dateOf(grant, holder);
  if (date === undefined) throw new Error(`not proven: ${text}`);
  return [{ attempt: Number(holder), fence: grant.fence, era: date }];
}

function numberIn(reply: unknown): number | undefined {
  return reply === null ? undefined : Number(reply);
}

function textIn(reply: unknown): string | undefined {
  return typeof reply === "string" ? reply : undefined;
}

/** Members of a sorted set as ZADD wants them: each after its score. */
function pairsOf(members: readonly string[]): string {
  const pairs: string[] = [];
  for (let at = 0; at < members.length; at += 2) pairs.push(`${members[at + 1]} ${members[at]}`);
  return pairs.join(" ");
}
