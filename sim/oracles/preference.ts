import { endPhaseOf, starvedIn } from "./end-phase.js";
import type { History, Violate } from "./history.js";

/**
 * W2: once a quorum of nodes is healthy, each waiting writer gets the lock in bounded time despite a stream of readers.
 * (Without readers, this is L2.)
 */
export function checkPreference(history: History, violate: Violate): void {
  const end = endPhaseOf(history);
  if (end === undefined) return;
  const readerCount = end.acquires.filter(({ mode }) => mode === "shared").length;
  if (readerCount === 0) return;
  for (const { process } of starvedIn(end, ({ mode }) => mode !== "shared")) {
    const message = `the writer of ${process} was not granted within ${end.forMs.toFixed(0)} ms of healing, beside ${readerCount} readers`;
    violate(end.untilUs, message);
  }
}
