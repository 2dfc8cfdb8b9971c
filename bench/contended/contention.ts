/** Many workers in several processes that contend for one name, on five nodes. */
export interface Contention {
  readonly processCount: number;
  /** Per process. */
  readonly workerCount: number;
  /** How long each worker holds the lock, ms; 0: not even a timer. */
  readonly sectionMs: number;
}

/** `2 x 8 workers, 1 ms section` */
export function contentionName({ processCount, workerCount, sectionMs }: Contention): string {
  return `${processCount} x ${workerCount} workers, ${sectionMs} ms section`;
}

/** Commands for a contender process: connect, warm up alone, begin to contend, and count from now on. */
export type ContenderQuestion =
  | {
      readonly kind: "open";
      readonly subjectName: string;
      readonly urls: readonly string[];
      readonly place: Place;
    }
  | { readonly kind: "warmUp"; readonly cycleCount: number }
  | { readonly kind: "begin"; readonly contention: Contention }
  | { readonly kind: "measure"; readonly measureMs: number };

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
