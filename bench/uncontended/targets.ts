import { judge, type Bound, type Verdict } from "../verdict.js";
import { cellName, isSameCell, type Cell } from "./cell.js";
import type { Series } from "./run.js";
import { totalCpuUs, type Sample } from "./sample.js";

/** The cells of most targets. */
export const SINGLE_1: Cell = { nodeCount: 1, inFlight: 1 };
export const SINGLE_8: Cell = { nodeCount: 1, inFlight: 8 };
export const SINGLE_64: Cell = { nodeCount: 1, inFlight: 64 };
export const FIVE_1: Cell = { nodeCount: 5, inFlight: 1 };
export const FIVE_8: Cell = { nodeCount: 5, inFlight: 8 };
export const FIVE_64: Cell = { nodeCount: 5, inFlight: 64 };
/** What pages show. */
export const SPEED_CELLS: readonly Cell[] = [SINGLE_1, SINGLE_64, FIVE_1, FIVE_64];
const NINE_64: Cell = { nodeCount: 9, inFlight: 64 };

/** The better of them, round by round, is the best peer. */
export const BEST_PEERS: readonly string[] = ["redlock", "redis-semaphore"];

/** A figure of a sample, and how to find the best of several. */
interface Figure {
  readonly of: (sample: Sample) => number;
  readonly best: typeof Math.max;
}

export const SPEED: Figure = { of: (sample) => sample.cyclesPerSecond, best: Math.max };
export const P50: Figure = { of: (sample) => sample.p50Ms, best: Math.min };
export const CPU: Figure = { of: totalCpuUs, best: Math.min };

const BESIDE_BEST_PEER: readonly [cell: Cell, name: string, figure: Figure, target: Bound][] = [
  [FIVE_64, "cycles/s", SPEED, { atLeast: 5 }],
  [FIVE_64, "CPU per cycle, client and nodes", CPU, { atMost: 0.24 }],
  [FIVE_8, "cycles/s", SPEED, { atLeast: 2.5 }],
  [FIVE_1, "p50", P50, { atMost: 1.2 }],
  [SINGLE_64, "cycles/s", SPEED, { atLeast: 2 }],
  [SINGLE_8, "cycles/s", SPEED, { atLeast: 1.1 }],
  [SINGLE_1, "p50", P50, { atMost: 1.15 }],
];

/** The verdicts on all targets whose subjects were measured. */
export function uncontendedVerdicts(series: readonly Series[]): Verdict[] {
  const ours = (cell: Cell, { of }: Figure): number[] => figures(series, cell, "quorate", of);
  return [
    ...BESIDE_BEST_PEER.flatMap(([cell, name, figure, target]) =>
      judge(cellName(cell), `${name} / best peer`, target, besideBestPeer(series, cell, figure)),
    ),
    ...judge(
      cellName(FIVE_64),
      "cycles/s / raw-autopipelined",
      { atLeast: 2.3 },
      ratios(ours(FIVE_64, SPEED), figures(series, FIVE_64, "raw-autopipelined", SPEED.of)),
    ),
    ...judge(
      "64 in flight",
      "CPU per cycle, 9 nodes / 5 nodes",
      { atMost: 1.6 },
      ratios(ours(NINE_64, CPU), ours(FIVE_64, CPU)),
    ),
  ];
}

/** Quorate's figure relative to the best peer's, round by round; none unless all peers were measured. */
export function besideBestPeer(
  series: readonly Series[],
  cell: Cell,
  { of, best }: Figure,
): number[] {
  const peers = BEST_PEERS.map((name) => figures(series, cell, name, of));
  return ratios(figures(series, cell, "quorate", of), bestOf(peers, best));
}

/** The best of several series, for every round that all of them have. */
export function bestOf(all: readonly (readonly number[])[], best: typeof Math.max): number[] {
  return (all[0] ?? []).map((_, round) => best(...all.map((one) => one[round] ?? Number.NaN)));
}

/** Round by round; NaN where one side is missing. */
export function ratios(above: readonly number[], below: readonly number[]): number[] {
  return above.map((value, round) => value / (below[round] ?? Number.NaN));
}

function figures(series: readonly Series[], cell: Cell, name: string, of: Figure["of"]): number[] {
  const found = series.find((one) => isSameCell(one.cell, cell) && one.subjectName === name);
  return found?.samples.map(of) ?? [];
}
