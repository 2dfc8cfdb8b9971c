import { isPeer } from "../subjects/peers.js";
import { judge, type Verdict } from "../verdict.js";
import { cellName, isSameCell, type Cell } from "./cell.js";
import type { Series } from "./run.js";
import { totalCpuUs, type Sample } from "./sample.js";

type Figure = (sample: Sample) => number;

const speed: Figure = (sample) => sample.cyclesPerSecond;
const p50: Figure = (sample) => sample.p50Ms;

/** The cells of most targets. */
export const SINGLE_1: Cell = { nodeCount: 1, inFlight: 1 };
export const SINGLE_64: Cell = { nodeCount: 1, inFlight: 64 };
export const FIVE_64: Cell = { nodeCount: 5, inFlight: 64 };
export const FIVE_1: Cell = { nodeCount: 5, inFlight: 1 };

/** Of all targets whose subjects were measured. */
export function uncontendedVerdicts(series: readonly Series[]): Verdict[] {
  const figures = (cell: Cell, isOne: (name: string) => boolean, of: Figure): number[][] =>
    series
      .filter((one) => isSameCell(one.cell, cell) && isOne(one.subjectName))
      .map(({ samples }) => samples.map(of));
  const ours = (cell: Cell, of: Figure): number[] =>
    figures(cell, (name) => name === "quorate", of)[0] ?? [];
  const bestPeer = (cell: Cell, of: Figure, best: typeof Math.max): number[] =>
    byRound(figures(cell, isPeer, of), best);
  const autopipelined = figures(FIVE_64, (name) => name === "raw-autopipelined", speed)[0] ?? [];

  /** Our own, in one cell compared with another. */
  const growth = (inFlight: number, many: number, few: number, of: Figure): number[] =>
    ratios(ours({ nodeCount: many, inFlight }, of), ours({ nodeCount: few, inFlight }, of));

  return [
    ...judge(
      cellName(FIVE_64),
      "cycles/s / best peer",
      { atLeast: 6 },
      ratios(ours(FIVE_64, speed), bestPeer(FIVE_64, speed, Math.max)),
    ),
    ...judge(
      cellName(FIVE_64),
      "cycles/s / raw-autopipelined",
      { atLeast: 2.5 },
      ratios(ours(FIVE_64, speed), autopipelined),
    ),
    ...[FIVE_1, SINGLE_1].flatMap((cell) =>
      judge(
        cellName(cell),
        "p50 / best peer",
        { atMost: 1.05 },
        ratios(ours(cell, p50), bestPeer(cell, p50, Math.min)),
      ),
    ),
    ...judge(
      cellName(SINGLE_64),
      "cycles/s / best peer",
      { atLeast: 2 },
      ratios(ours(SINGLE_64, speed), bestPeer(SINGLE_64, speed, Math.max)),
    ),
    ...judge("64 in flight", "CPU, 5 nodes / 1 node", { atMost: 3 }, growth(64, 5, 1, totalCpuUs)),
    ...judge("64 in flight", "CPU, 9 nodes / 5 nodes", { atMost: 2 }, growth(64, 9, 5, totalCpuUs)),
    ...judge("1 in flight", "p50, 9 nodes / 1 node", { atMost: 2.5 }, growth(1, 9, 1, p50)),
  ];
}

/** The best of several series, in every round. */
function byRound(all: readonly (readonly number[])[], best: typeof Math.max): number[] {
  return (all[0] ?? []).map((_, round) => best(...all.map((one) => one[round] ?? Number.NaN)));
}

function ratios(above: readonly number[], below: readonly number[]): number[] {
  return above.map((value, round) => value / (below[round] ?? Number.NaN));
}
