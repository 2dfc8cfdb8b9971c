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
  readonly measureMs: number;
}

/** The one that the targets are for. */
export const MAIN_CONTENTION: Contention = { processCount: 2, workerCount: 8, sectionMs: 1 };

/** A fleet instead of two processes: nobody's next is at home. */
export const FLEET_CONTENTION: Contention = { processCount: 50, workerCount: 1, sectionMs: 1 };

const OTHERS: readonly Contention[] = [
  { processCount: 1, workerCount: 16, sectionMs: 1 },
  { processCount: 4, workerCount: 4, sectionMs: 0 },
];

const SOME_SUBJECTS = ["quorate", "redlock", "redis-semaphore", "floor"];

export const FULL_CONTENDED: ContendedPlan = {
  nodeCount: 5,
  cases: [
    { contention: MAIN_CONTENTION, subjectNames: CONTENDED_SUBJECTS },
    ...[FLEET_CONTENTION, ...OTHERS].map((contention) => ({
      contention,
      subjectNames: SOME_SUBJECTS,
    })),
  ],
  rounds: 3,
  measureMs: 2_000,
};

export const QUICK_CONTENDED: ContendedPlan = {
  nodeCount: 5,
  cases: [
    {
      contention: MAIN_CONTENTION,
      subjectNames: ["quorate", "redlock", "floor"],
    },
    { contention: FLEET_CONTENTION, subjectNames: ["quorate"] },
  ],
  rounds: 1,
  measureMs: 800,
};
