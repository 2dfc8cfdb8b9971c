import type { LockReport } from "../src/api/reports.js";
import type { Fingerprints } from "./fingerprints.js";
import type { ReportEvent } from "./oracles/history.js";

/** What a history keeps of a report. Unknown fingerprints are left out: other data in the key, not owners. */
export function seenIn(
  { name, state, holders, nodes }: LockReport,
  fingerprints: Fingerprints,
): Pick<ReportEvent, "state" | "holders" | "freeNodes"> {
  const indexOf = (node: string): number => nodes.findIndex((report) => report.node === node);
  return {
    state,
    holders: holders.flatMap(({ fingerprint, permits, remainingMs, nodes: where }) => {
      const ownerId = fingerprints.find(fingerprint);
      if (ownerId === undefined) return [];
      const held = permits?.map((permit) => `${name}#${permit}`) ?? [name];
      const on = where.map(indexOf);
      return held.map((each) => ({ name: each, ownerId, nodes: on, remainingMs }));
    }),
    freeNodes: nodes.flatMap(({ state: is }, index) =>
      is === "free" || is === "turn" ? [index] : [],
    ),
  };
}
