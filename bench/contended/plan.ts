import { PEER_NAMES, PEER_SENDS, isPeer } from "../subjects/peers.js";
import { contentionName, type Contention } from "./contention.js";

/** Every subject, in the order of the tables. */
export const CONTENDED_SUBJECTS: readonly string[] = [
  "quorate",
  "quorate-fair",
  "quorate-cluster",
  ...PEER_NAMES,
  "poll",
  "floor",
  "floor-granted",
];

/** The lower bounds: their code is the bench's. */
export const isFloor = (subjectName: string): boolean => subjectName.startsWith("floor");

/** Each of its nodes is a Cluster, of one member. */
export const isOnClusters = (subjectName: string): boolean => subjectName === "quorate-cluster";

/** Commands that a subject itself sends. */
export function contendedSends(subjectName: string): readonly string[] {
  if (isPeer(subjectName)) return PEER_SENDS[subjectName];
  if (subjectName === "poll" || subjectName === "floor") return ["set", "evalsha"];
  // The script of floor-granted calls SET itself.
  return ["eval", "evalsha"];
}

export interface ContendedCase {
  readonly contention: Contention;
  readonly subjectNames: readonly string[];
}

export interface ContendedPlan {
  readonly nodeCount: number;
  readonly cases: readonly ContendedCase[];
  readonly rounds: number;
  /** Cycles before each run, over all processes together, each on its own names. */
  readonly warmUpCycles: number;
  /**
   * For how long they then contend without a section, ms: what a hand-over takes is other code than those cycles, and V8
   * has optimized it only after some thousand hand-overs of a process. Not the floors, which are only that.
   */
  readonly warmUpMs: number;
  /** How long they contend unmeasured, ms: all of them are then in a queue, or have begun to poll. */
  readonly settleMs: number;
  readonly measureMs: number;
  /** For how long they go on after that with a profile of the first process, ms. */
  readonly profileMs: number;
}

/** The one that the targets apply to. */
export const MAIN_CONTENTION: Contention = { processCount: 2, workerCount: 8, sectionMs: 1 };

/** A fleet instead of two processes: the next holder is always in another process. */
export const FLEET_CONTENTION: Contention = { processCount: 50, workerCount: 1, sectionMs: 1 };

/** The cost of a hand-over itself: the lock is released as soon as it is acquired. */
export const BARE_CONTENTION: Contention = { processCount: 4, workerCount: 4, sectionMs: 0 };

/** For Clusters beside single servers: each hand-over is to another process, of which there is always one that waits. */
export const CLUSTER_CONTENTION: Contention = { processCount: 4, workerCount: 1, sectionMs: 0 };

/** Processes and workers of each. */
export type Shape = readonly [processCount: number, workerCount: number];

export const SHAPES: readonly Shape[] = [
  [2, 8],
  [4, 4],
  [50, 1],
];

export const SECTIONS_MS = [0, 1, 10] as const;

/** Every shape with every section. */
const MATRIX: readonly Contention[] = SHAPES.flatMap(([processCount, workerCount]) =>
  SECTIONS_MS.map((sectionMs) => ({ processCount, workerCount, sectionMs })),
);

const THROTTLED_CONTENTION: Contention = { ...MAIN_CONTENTION, firstShare: 0.2 };

/** Those that have targets, or show what one slow process does to the others. */
const TARGETED = [BARE_CONTENTION, FLEET_CONTENTION, THROTTLED_CONTENTION];

/** Their subjects. */
const SOME_SUBJECTS = ["quorate", "redis-semaphore", "redlock", "poll", "floor", "floor-granted"];

/** Those of the others, which show what the section changes: all with all would take more than an hour. */
const FEW_SUBJECTS = ["quorate", "redis-semaphore", "floor-granted"];

function subjectsOf(contention: Contention): readonly string[] {
  const name = contentionName(contention);
  if (name === contentionName(MAIN_CONTENTION)) return CONTENDED_SUBJECTS;
  const isTargeted = TARGETED.some((one) => contentionName(one) === name);
  return isTargeted ? SOME_SUBJECTS : FEW_SUBJECTS;
}

export const FULL_CONTENDED: ContendedPlan = {
  nodeCount: 5,
  cases: [
    ...[...MATRIX, THROTTLED_CONTENTION].map((contention) => ({
      contention,
      subjectNames: subjectsOf(contention),
    })),
    { contention: CLUSTER_CONTENTION, subjectNames: ["quorate", "quorate-cluster"] },
  ],
  rounds: 3,
  warmUpCycles: 10_000,
  warmUpMs: 5_000,
  settleMs: 500,
  measureMs: 2_000,
  profileMs: 1_000,
};

export const QUICK_CONTENDED: ContendedPlan = {
  nodeCount: 5,
  cases: [
    {
      contention: MAIN_CONTENTION,
      subjectNames: ["quorate", "redlock", "floor", "floor-granted"],
    },
  ],
  rounds: 1,
  warmUpCycles: 1_000,
  warmUpMs: 200,
  settleMs: 100,
  measureMs: 800,
  profileMs: 400,
};
