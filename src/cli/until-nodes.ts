import { once } from "node:events";
import type { LockManager } from "../index.js";

/** Whether each node has answered, or could not be reached. */
export function areSeen(locks: LockManager): boolean {
  return locks.nodes.every(({ state }) => state !== "connecting");
}

/** Waits until the states of the nodes are such, the signal aborts, or the time is over. */
export async function untilNodes(
  locks: LockManager,
  areSuch: () => boolean,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener("abort", end);
  if (signal?.aborted === true) end();
  while (!areSuch() && !over.signal.aborted) {
    await once(locks, "node", { signal: over.signal }).catch(end);
  }
  clearTimeout(timer);
  signal?.removeEventListener("abort", end);
}
