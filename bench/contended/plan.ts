import { PEER_NAMES, PEER_SENDS, isPeer } from "../subjects/peers.js";
import type { Contention } from "./contention.js";

/** Every subject, in the order of the tables. */
export const CONTENDED_SUBJECTS: readonly string[] = [
  "quorate",
  "quorate-fair",
  ...PEER_NAMES,
  "floor",
];

/** Commands that a subject sends itself. */
export function contendedSends(subjectName: string): readonly string[] {
  if (isPeer(subjectName)) return PEER_SENDS[subjectName];
  return subjectName === "floor" ? ["set", "evalsha"] : ["eval", "evalsha"];
}

export interface ContendedCase {
  readonly contention: Contention;
  readonly subjectNames: readonly string[];
}

export interface ContendedPlan {
  readonly nodeCount: number;
  readonly cases: readonly ContendedCase[];
  readonly rounds: number;
  /** Cycles before each run, all processes together, each on names of its own. */
  readonly warmUpCycles: number;
  /** How long they contend unmeasured, ms: all of them wait in a queue, or have begun to poll. */
  readonly settleMs: number;
  readonly measureMs: number;
}

/** The one that the targets are for. */
export const MAIN_CONTENTION: Contention = { processCount: 2, workerCount: 8, sectionMs: 1 };

/** A fleet instead of two processes: nobody's next is at home. */
export const FLEET_CONTENTION: Contention = { processCount: 50, workerCount: 1, sectionMs: 1 };

/** What a hand-over costs by itself: nothing happens between two of them. */
const BARE_CONTENTION: Contention = { processCount: 4, workerCount: 4, sectionMs: 0 };

/** Of the contentions beside the main one. */
const SOME_SUBJECTS = ["quorate", "redis-semaphore", "floor"];

export const FULL_CONTENDED: ContendedPlan = {
  nodeCount: 5,
  cases: [
    { contention: MAIN_CONTENTION, subjectNames: CONTENDED_SUBJECTS },
    ...[FLEET_CONTENTION, BARE_CONTENTION].map((contention) => ({
      contention,
      subjectNames: SOME_SUBJECTS,
    })),
  ],
  rounds: 3,
  warmUpCycles: 10_000,
  settleMs: 500,
  measureMs: 2_000,
};

export const QUICK_CONTENDED: ContendedPlan = {
  nodeCount: 5,
  cases: [
    {
      contention: MAIN_CONTENTION,
      subjectNames: ["quorate", "redlock", "floor"],
    },
  ],
  rounds: 1,
  warmUpCycles: 1_000,
  settleMs: 100,
  measureMs: 800,
};
