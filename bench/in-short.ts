import { spreadOf } from "./numbers/spread.js";
import { NOT_MEASURED, seriesIn, verdictsOf, type Results } from "./results.js";
import { format } from "./text/table.js";
import { cellName, isSameCell } from "./uncontended/cell.js";
import { FIVE_1, FIVE_64, SINGLE_8 } from "./uncontended/targets.js";

/** The first figures of docs/explain/performance.md, so that they cannot differ from its tables. */
export function inShort(results: Results): string {
  const verdicts = verdictsOf(results);
  const median = (where: string, figure: string, digits: number, unit = 1): string => {
    const found = verdicts.find((one) => one.where === where && one.figure === figure);
    return found === undefined ? NOT_MEASURED : format(found.measured.median / unit, digits);
  };
  const speed = seriesIn(results, "uncontended").find(
    ({ subjectName, cell }) => subjectName === "quorate" && isSameCell(cell, FIVE_64),
  );
  const perSecond = spreadOf(speed?.samples.map((one) => one.cyclesPerSecond) ?? []).median;
  return `- **Throughput**: ${format(perSecond, 0)} locks per second from one process on five nodes with 64 in flight, ${median(cellName(FIVE_64), "cycles/s / best peer", 1)} times those of the faster
  of redlock and redis-semaphore. On a single node with 8 in flight it is ${median(cellName(SINGLE_8), "cycles/s / best peer", 2)} times. One at a time on five nodes, a
  cycle takes ${median(cellName(FIVE_1), "p50 / best peer", 1)} times as long as theirs.
- **Holding**: 10,000 held locks cost ${median("10,000 held locks", "client CPU, % of a core", 1)} % of a core and ${median("10,000 held locks", "heap bytes per lock", 1, 1_000)} kB of heap each.`;
}
