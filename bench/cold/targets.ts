import { cellName, isSameCell, type Cell } from "../uncontended/cell.js";
import { judge, type Verdict } from "../verdict.js";
import type { ColdLibrary } from "./plan.js";
import type { ColdSeries } from "./run.js";
import type { ColdSample } from "./sample.js";

export function coldVerdicts(series: readonly ColdSeries[]): Verdict[] {
  const cells = series.filter(({ library }) => library === "quorate").map(({ cell }) => cell);
  const imports = cells.flatMap((cell) =>
    ratios(series, cell, "ioredis", ({ importCpuMs }) => importCpuMs),
  );
  return [
    ...judge("new process", "CPU of import / ioredis", { atMost: 1.3 }, imports),
    ...cells.flatMap((cell) =>
      judge(
        `${cellName(cell)}, cold`,
        "CPU of the first cycles / redlock",
        { atMost: 1.5 },
        ratios(series, cell, "redlock", ({ cycleCpuUs }) => cycleCpuUs),
      ),
    ),
  ];
}

/** Ratios of Quorate's figure to another library's, round by round. */
function ratios(
  series: readonly ColdSeries[],
  cell: Cell,
  other: ColdLibrary,
  of: (sample: ColdSample) => number,
): number[] {
  const samplesOf = (name: ColdLibrary): readonly ColdSample[] =>
    series.find(({ library, cell: its }) => library === name && isSameCell(its, cell))?.samples ??
    [];
  const others = samplesOf(other);
  return samplesOf("quorate").flatMap((sample, round) => {
    const beside = others[round];
    return beside === undefined ? [] : [of(sample) / of(beside)];
  });
}
