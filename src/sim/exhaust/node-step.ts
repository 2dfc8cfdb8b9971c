import { keysOf } from "../../protocol/keys.js";
import type { Operation, Vote } from "../../protocol/operation.js";
import { KeyStore } from "../key-store.js";
import type { Rules } from "./scope.js";
import type { Message, NodeState } from "./state.js";

const KEYS = keysOf("lock:", "a");

/** Nothing is ever due by time: keys expire by an event of their own. */
const FOR_EVER_MS = 1e12;

/** Proposals are taken as they are; how they are clamped is not in question here. */
const SLACK_US = 1e12;

/** One operation on one node, by the rules under test. */
export function stepOnNode(
  node: NodeState,
  { kind, attempt, fence }: Message,
  rules: Rules,
): { readonly node: NodeState; readonly vote: Vote } {
  const keys = new KeyStore(() => {});
  if (node.holder !== undefined) keys.set(KEYS.lockKey, String(node.holder), 0, FOR_EVER_MS);
  if (node.fence !== undefined) keys.set(KEYS.fenceKey, String(node.fence), 0, FOR_EVER_MS);
  const operation: Operation = {
    kind,
    keys: KEYS,
    ownerId: String(attempt),
    ttlMs: FOR_EVER_MS,
    fence,
    sendBeforeMs: FOR_EVER_MS,
    wire: undefined,
  };
  const { isKnown } = node;
  const call = {
    keys,
    nowUs: 0,
    nowMs: 0,
    fenceSlackUs: SLACK_US,
    fenceRetentionMs: FOR_EVER_MS,
    isKnown,
    isCompared: true,
    publish: () => 0,
  };
  const vote = rules.runOperation(call, operation);
  const holder = keys.get(KEYS.lockKey, 0)?.text;
  const last = keys.get(KEYS.fenceKey, 0)?.text;
  return {
    vote,
    node: {
      holder: holder === undefined ? undefined : Number(holder),
      fence: last === undefined ? undefined : Number(last),
      isKnown,
    },
  };
}
