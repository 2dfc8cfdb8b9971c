import type { Entry } from "./entry.js";

/** Maximum number of operations in one script call: bounds how long a node is busy with one call. */
export const MAX_BATCH_SIZE = 256;

/**
 * Minimum number of calls into which the operations for a single node are split, so that the node works on one while
 * we prepare the next. With one call the two would take turns; more and smaller calls cost more than they gain
 * (docs/explain/performance.md).
 */
const SINGLE_NODE_PARTS = 2;

/** Larger batches gain nothing: the node is already busy all the time. */
const MAX_PART_SIZE = 16;

/**
 * With this many waiting, operations go out to a single node immediately, without waiting for the end of the tick.
 * With several nodes the first is already at work while we write to the others, and more calls cost more than they
 * gain.
 *
 * @param operationCount waiting and in flight, together
 */
export function singleNodePart(operationCount: number): number {
  return Math.min(MAX_PART_SIZE, Math.ceil(operationCount / SINGLE_NODE_PARTS));
}

/** How many of them go out in one call. A refresh counts as often as it has names. */
export function batchLength(queue: readonly Entry[]): number {
  let length = 0;
  for (let size = 0; length < queue.length; length++) {
    const { operation } = queue[length] as Entry;
    size += operation.kind === "refresh" ? operation.places.length : 1;
    if (size > MAX_BATCH_SIZE && length > 0) break;
  }
  return length;
}

/** @param problem why the node must get no acquire now */
export function isSendable(
  { operation }: Entry,
  now: number,
  problem: string | undefined,
): boolean {
  const { kind, sendBeforeMs } = operation;
  return sendBeforeMs >= now && (problem === undefined || kind !== "acquire");
}
