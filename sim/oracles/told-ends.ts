import type { HistoryEvent } from "./history.js";
import { rootOf } from "./names.js";

/** Ends of holds of which the node tells nobody: it does not see them, or they are none of ours. */
export const UNSEEN: ReadonlySet<string> = new Set(["expire", "overdue", "forget", "foreign"]);

/** How many permits there are of each name. */
export function permitsIn(events: readonly HistoryEvent[]): ReadonlyMap<string, number> {
  const permits = new Map<string, number>();
  for (const event of events) {
    if (event.kind !== "grant" || event.permits === undefined) continue;
    permits.set(rootOf(event.name), event.permits);
  }
  return permits;
}
