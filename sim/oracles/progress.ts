import { endPhaseOf } from "./end-phase.js";
import type { History, Violate } from "./history.js";

/** L2: once a quorum of nodes is healthy, some waiter gets the lock in bounded time. */
export function checkProgress(history: History, violate: Violate): void {
  const end = endPhaseOf(history);
  if (end === undefined || end.events.some(({ kind }) => kind === "grant")) return;
  const waiterCount = end.acquires.length;
  if (waiterCount === 0) return;
  const message = `none of ${waiterCount} waiters was granted within ${end.forMs.toFixed(0)} ms of healing`;
  violate(end.untilUs, message);
}
