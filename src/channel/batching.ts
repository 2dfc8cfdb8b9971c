import type { Entry } from "./entry.js";

/** Operations in one script call: bounds how long a node is busy with one. */
export const MAX_BATCH_SIZE = 256;

/**
 * In so many calls, at least, a single node gets what is under way: it works on one while we make the next. All in
 * one call, the two would take turns; more and smaller ones cost more than they gain (docs/performance.md).
 */
const SINGLE_NODE_PARTS = 2;

/** Larger ones gain nothing: the node is busy all the time. */
const MAX_PART_SIZE = 16;

/**
 * With so many waiting, they go out to a single node at once, without waiting for the end of the tick. With several
 * nodes the first is at work anyway while we write to the others, and more calls cost more than they gain.
 *
 * @param operationCount waiting and on their way, together
 */
export function singleNodePart(operationCount: number): number {
  return Math.min(MAX_PART_SIZE, Math.ceil(operationCount / SINGLE_NODE_PARTS));
}

/** How many of them go out in one call. A refresh counts as often as it has names. */
export function batchLength(queue: readonly Entry[]): number {
  let length = 0;
  for (let size = 0; length < queue.length; length++) {
    size += queue[length]?.operation.places?.length ?? 1;
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
