import type { Entry } from "./entry.js";

/** Operations in one script call: bounds how long a node is busy with one. */
const MAX_BATCH_SIZE = 256;

/**
 * Operations that go out at once, without waiting for the end of the tick, where there is one node:
 * it works on them while we make the next ones, instead of the two taking turns. With several nodes
 * the first is at work anyway while we write to the others, and more calls cost more than they gain.
 */
const SINGLE_NODE_FULL_BATCH_SIZE = 16;

/** With so many waiting, they go out before the end of the tick. */
export function fullBatchSize(nodeCount: number): number {
  return nodeCount === 1 ? SINGLE_NODE_FULL_BATCH_SIZE : MAX_BATCH_SIZE;
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
