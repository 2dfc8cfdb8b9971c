import { judge, type Verdict } from "../verdict.js";
import type { PermitsSeries } from "./run.js";

/** How much more a node may work where others hold half of the permits: the number of permits itself costs nothing. */
const MOST_WORK = 3;

export function permitsVerdicts(series: readonly PermitsSeries[]): Verdict[] {
  return series.flatMap(({ permits, heldCount, most, samples }, at) => {
    if (at === 0 || most > 1) return [];
    return judge(
      `${permits} permits, ${heldCount} held`,
      "time of a node's scripts / of a small semaphore",
      { atMost: MOST_WORK },
      samples.map(({ nodeUs, base }) => nodeUs / base.nodeUs),
    );
  });
}
