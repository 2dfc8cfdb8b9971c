import type { LockManager } from "../index.js";
import { flag } from "./command.js";
import { ConfigError } from "./exit-codes.js";
import { areSeen, untilNodes } from "./until-nodes.js";

/** An option of every command that takes locks. */
export const NODES_CHANGED = flag({
  help: "lock even if other clients use other nodes: while the list of nodes is being changed",
});

const REMEDY = "while they are being changed, pass --nodes-changed";

/** What the nodes have said about the other clients' nodes. */
const differences = new WeakMap<LockManager, string>();

/** Called before the manager has seen a node. */
export function noteDifferences(locks: LockManager): void {
  locks.on("warning", ({ code, message }) => {
    if (code === "QUORATE_NODE_LIST_MISMATCH") differences.set(locks, message);
  });
}

/**
 * Nodes that other clients do not use, too, exclude nobody.
 *
 * @throws ConfigError with both lists and what to do
 */
export function checkSameNodes(locks: LockManager, isChanged: boolean | undefined): void {
  const difference = differences.get(locks);
  if (difference === undefined || isChanged === true) return;
  throw new ConfigError(`${difference}; ${REMEDY}`);
}

/**
 * Waits until each node has been seen, or could not be reached: a lock takes only a quorum, and which nodes the other
 * clients use may be known only when the last has answered. Then the same as {@link checkSameNodes}.
 */
export async function checkNodesSeen(
  locks: LockManager,
  isChanged: boolean | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  if (isChanged !== true) await untilNodes(locks, () => areSeen(locks), timeoutMs, signal);
  checkSameNodes(locks, isChanged);
}
