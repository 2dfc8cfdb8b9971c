import { keysOf } from "../../src/kinds/exclusive.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import { plainReply } from "../../src/memory/reply.js";
import { newOperation, type Vote } from "../../src/protocol/operation.js";
import { decodeReply } from "../../src/script/batch-decoder.js";
import { encodeBatch } from "../../src/script/batch-encoder.js";
import { getOrAdd } from "../oracles/get-or-add.js";
import type { Message, NodeState } from "./state.js";

const KEYS = keysOf("lock:", "a");

/** Nothing expires by time: keys expire by an event of their own. */
const FOR_EVER_MS = 1e12;

/** Proposals are taken as they are; clamping is not tested here. */
const CONSTANTS = { fenceSlackUs: 1e12 };

/** The incarnation that every client knows. */
const RECORD_ID = "known";

export interface NodeStep {
  readonly node: NodeState;
  readonly vote: Vote;
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
    const { holder, fence, top, isKnown } = node;
    const question = `${holder} ${fence} ${top} ${isKnown} ${message.kind} ${message.attempt} ${message.fence}`;
    return getOrAdd(known, question, () => stepOnNode(script, node, message));
  };
}

function stepOnNode(
  script: string,
  { holder, fence, top, isKnown }: NodeState,
  { kind, attempt, fence: given }: Message,
): NodeStep {
  const redis = new MemoryRedis({ nowUs: () => 0 });
  if (holder !== undefined) {
    redis.execute(["SET", KEYS.lockKey, String(holder), "PX", String(FOR_EVER_MS)]);
  }
  if (fence !== undefined) redis.execute(["HSET", RECORD_KEY, KEYS.fenceBucket, String(fence)]);
  if (top > 0) redis.execute(["HSET", RECORD_KEY, "top", String(top)]);
  if (isKnown) redis.execute(["HSET", RECORD_KEY, "id", RECORD_ID]);
  const operation = newOperation(kind, {
    ...{ keys: KEYS, ownerId: String(attempt), ttlMs: FOR_EVER_MS, fence: given },
    sendBeforeMs: FOR_EVER_MS,
  });
  const encoded = encodeBatch([operation], RECORD_ID, 1, CONSTANTS);
  const reply = decodeReply(plainReply(redis.execute(["EVAL", script, ...encoded])), [operation]);
  if (reply.kind !== "votes") throw new Error(`the script answers ${JSON.stringify(reply)}`);
  return {
    vote: reply.votes[0] as Vote,
    node: {
      holder: numberIn(redis.execute(["GET", KEYS.lockKey])),
      fence: numberIn(redis.execute(["HGET", RECORD_KEY, KEYS.fenceBucket])),
      top: numberIn(redis.execute(["HGET", RECORD_KEY, "top"])) ?? 0,
      isKnown,
    },
  };
}

function numberIn(reply: unknown): number | undefined {
  return reply === null ? undefined : Number(reply);
}
