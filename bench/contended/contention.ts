/** Many workers in several processes that contend for one name, on five nodes. */
export interface Contention {
  readonly processCount: number;
  /** Per process. */
  readonly workerCount: number;
  /** How long each worker holds the lock, ms; 0: not even a timer. */
  readonly sectionMs: number;
  /** The first process gets this share of a CPU at most; undefined if it is not limited. */
  readonly firstShare?: number;
}

/** `2 x 8 workers, 1 ms section` */
export function contentionName({ firstShare, ...contention }: Contention): string {
  const { processCount, workerCount, sectionMs } = contention;
  const slow = firstShare === undefined ? "" : `, one process at ${100 * firstShare} % of a CPU`;
  return `${processCount} x ${workerCount} workers, ${sectionMs} ms section${slow}`;
}

const MAX_PROCESSES = 200;

/**
 * Reads `4x4/0`: processes, workers of each, section in ms. With `@20` at its end, the first process gets 20 % of a CPU.
 *
 * @throws RangeError if it is none
 */
export function parseContention(text: string): Contention {
  const [, ...parts] = /^(\d+)x(\d+)\/(\d+)(?:@(\d+))?$/.exec(text) ?? [];
  const [processCount = 0, workerCount = 0, sectionMs = -1, percent] = parts
    .filter((part) => part !== undefined)
    .map(Number);
  const isIn = (value: number, min: number, max: number): boolean => value >= min && value <= max;
  const isValid =
    isIn(processCount, 1, MAX_PROCESSES) && isIn(workerCount, 1, 1_000) && isIn(sectionMs, 0, 100);
  if (isValid && isIn(percent ?? 1, 1, 99)) {
    const contention = { processCount, workerCount, sectionMs };
    return percent === undefined ? contention : { ...contention, firstShare: percent / 100 };
  }
  throw new RangeError(
    `--cell must be processes x workers / section in ms, up to ${MAX_PROCESSES} processes, such as 4x4/0 or 2x8/1@20; got "${text}"`,
  );
}

/** Commands for a contender process: connect, warm up alone, contend for a while, begin to contend, count from now on. */
export type ContenderQuestion =
  | {
      readonly kind: "open";
      readonly subjectName: string;
      readonly urls: readonly string[];
      readonly place: Place;
    }
  | { readonly kind: "warmUp"; readonly cycleCount: number }
  | { readonly kind: "begin"; readonly contention: Contention }
  | { readonly kind: "measure"; readonly measureMs: number }
  /** From beginning to end, uncounted. @param isWatched it takes a profile meanwhile, and answers with the {@link Shares} */
  | {
      readonly kind: "contend";
      readonly contention: Contention;
      readonly forMs: number;
      readonly isWatched: boolean;
    };

/** Of the CPU time, by what it was spent on; all are 1 together. */
export type Shares = Readonly<Record<string, number>>;

/** The index of the process, from 0. */
export interface Place {
  readonly index: number;
  readonly processCount: number;
}

/** The measurements of a process. */
export interface ContenderAnswer {
  /** Locks acquired, by worker. */
  readonly counts: readonly number[];
  /** Waiting time of each lock, ms. */
  readonly waitsMs: readonly number[];
  /** How long workers still waiting at the end had waited, ms. */
  readonly openWaitsMs: readonly number[];
}

/** The same, with the CPU time that the process took for it, microseconds. */
export type MeasuredAnswer = ContenderAnswer & { readonly cpuUs: number };

/** One process of a contention. */
export interface Contender {
  /** Runs cycles on names without contention. */
  warmUp(cycleCount: number): Promise<void>;
  /** Contends until a measurement ends. */
  begin(contention: Contention): void;
  measure(measureMs: number): Promise<ContenderAnswer>;
}
