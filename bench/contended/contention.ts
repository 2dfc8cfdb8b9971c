/** Many workers of several processes that want one name. */
export interface Contention {
  readonly processCount: number;
  /** In each process. */
  readonly workerCount: number;
  /** How long each holds the lock, ms. */
  readonly sectionMs: number;
  readonly measureMs: number;
}

export const FULL_CONTENTION: Contention = {
  processCount: 2,
  workerCount: 8,
  sectionMs: 1,
  measureMs: 3_000,
};

export const QUICK_CONTENTION: Contention = { ...FULL_CONTENTION, measureMs: 800 };

/** What one process is told to do. */
export interface ContenderJob {
  readonly subjectName: ContendedSubject;
  readonly urls: readonly string[];
  readonly contention: Contention;
}

/** What it has seen: locks got by each worker, and how long each of them was waited for. */
export interface ContenderAnswer {
  readonly counts: readonly number[];
  readonly waitsMs: readonly number[];
}

export const CONTENDED_SUBJECTS = ["quorate", "quorate-fair", "redlock"] as const;

export type ContendedSubject = (typeof CONTENDED_SUBJECTS)[number];

/** What one run of one subject measured. */
export interface ContendedSample {
  readonly handOversPerSecond: number;
  readonly waitMeanMs: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
  readonly waitMaxMs: number;
  /** Of the workers' shares: 1 if all are equal, 1/n if one has everything. */
  readonly jainIndex: number;
  /** Script calls to a node, a lock that was got. */
  readonly callsPerNode: number;
}

export function sampleOf(
  answers: readonly ContenderAnswer[],
  measureMs: number,
  callsPerNode: number,
): ContendedSample {
  const counts = answers.flatMap((answer) => answer.counts);
  const waitsMs = answers.flatMap((answer) => answer.waitsMs).toSorted((a, b) => a - b);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const squares = counts.reduce((sum, count) => sum + count * count, 0);
  const quantile = (q: number): number =>
    waitsMs[Math.min(waitsMs.length - 1, Math.floor(q * waitsMs.length))] ?? Number.NaN;
  return {
    handOversPerSecond: (total * 1_000) / measureMs,
    waitMeanMs: waitsMs.reduce((sum, ms) => sum + ms, 0) / waitsMs.length,
    waitP50Ms: quantile(0.5),
    waitP99Ms: quantile(0.99),
    waitMaxMs: quantile(1),
    jainIndex: (total * total) / (counts.length * squares),
    callsPerNode: callsPerNode / total,
  };
}
