import { judge, type Verdict } from "../verdict.js";
import { format } from "../text/table.js";
import type { ObservedSeries } from "./run.js";

/** Of a core, at most, for a thousand loops of one process that observe a name that does not change. */
const MOST_IDLE = 0.01;

/** What a node does for a change, at most, with one more observing process: it publishes once. */
const MOST_WORK = 2;

export function observedVerdicts(series: readonly ObservedSeries[]): Verdict[] {
  return series
    .filter(({ managerCount, loopCount }) => managerCount === 1 && loopCount > 1)
    .flatMap(({ loopCount, samples }) => {
      const where = `${format(loopCount, 0)} observers in a process`;
      return [
        ...judge(
          where,
          "client CPU while nothing changes, share of a core",
          { atMost: MOST_IDLE },
          samples.map(({ idleClientShare }) => idleClientShare),
        ),
        ...judge(
          where,
          "a node's CPU for a change / without observers",
          { atMost: MOST_WORK },
          samples.map(({ nodeUs, base }) => nodeUs / base.nodeUs),
        ),
      ];
    });
}
