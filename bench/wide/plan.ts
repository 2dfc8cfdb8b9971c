import { even, LOCAL, type Line, type Network } from "./network.js";

export interface WidePlan {
  readonly nodeCount: number;
  readonly networks: readonly Network[];
  readonly subjectNames: readonly string[];
  readonly rounds: number;
  /** Unmeasured cycles of every process at its start, on this machine. */
  readonly warmUpCycles: number;
  /** Cycles of one process, on names without contention. */
  readonly cyclesPerSecond: number;
  /** Names that two other processes then pass back and forth. */
  readonly handOverNames: number;
  /** Before each measurement, ms: everything that adapts to the distance of the nodes can do so. */
  readonly settleMs: number;
  readonly measureMs: number;
  readonly handOverMs: number;
}

const NODE_COUNT = 5;

/** Like `even`, except for the last node. */
function oneOther(name: string, roundTripMs: number, other: Line): Network {
  const { lines = [] } = even(NODE_COUNT, roundTripMs);
  return { name, lines: [...lines.slice(1), other] };
}

const JITTERY: Network = {
  name: "20 ms and up to 20 ms of jitter",
  lines: Array.from({ length: NODE_COUNT }, () => ({ roundTripMs: 20, jitterMs: 20 })),
};

export const FULL_WIDE: WidePlan = {
  nodeCount: NODE_COUNT,
  networks: [
    LOCAL,
    ...[0.5, 1, 5, 20, 80].map((roundTripMs) => even(NODE_COUNT, roundTripMs)),
    {
      name: "0.5, 1, 5, 20 and 80 ms",
      lines: [0.5, 1, 5, 20, 80].map((roundTripMs) => ({ roundTripMs })),
    },
    JITTERY,
    oneOther("5 ms, one node 80 ms", 5, { roundTripMs: 80 }),
    oneOther("5 ms, one node loses 5 %", 5, { roundTripMs: 5, lossShare: 0.05 }),
  ],
  subjectNames: ["quorate", "redlock", "redis-semaphore"],
  rounds: 3,
  warmUpCycles: 5_000,
  cyclesPerSecond: 100,
  handOverNames: 20,
  settleMs: 300,
  measureMs: 1_700,
  handOverMs: 2_200,
};

export const QUICK_WIDE: WidePlan = {
  ...FULL_WIDE,
  networks: [LOCAL, JITTERY],
  rounds: 1,
  warmUpCycles: 200,
  settleMs: 200,
  measureMs: 600,
  handOverMs: 900,
};
