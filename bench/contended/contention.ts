/** Many workers of several processes that want one name, on five nodes. */
export interface Contention {
  readonly processCount: number;
  /** In each process. */
  readonly workerCount: number;
  /** How long each holds the lock, ms; 0: not even a timer. */
  readonly sectionMs: number;
}

/** `2 x 8 workers, 1 ms section` */
export function contentionName({ processCount, workerCount, sectionMs }: Contention): string {
  return `${processCount} x ${workerCount} workers, ${sectionMs} ms section`;
}

/** Commands for a contender process: to connect, to warm up alone, to begin, and to count from now on. */
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

/** Which of the processes this is, from 0. */
export interface Place {
  readonly index: number;
  readonly processCount: number;
}

/** What a process has seen. */
export interface ContenderAnswer {
  /** Locks got, by worker. */
  readonly counts: readonly number[];
  /** How long each of them was waited for, ms. */
  readonly waitsMs: readonly number[];
  /** How long clients still waiting at the end had waited, ms. */
  readonly openWaitsMs: readonly number[];
}

/** One process of a contention. */
export interface Contender {
  /** Cycles on names that nobody else wants. */
  warmUp(cycleCount: number): Promise<void>;
  /** Contends until a measurement ends. */
  begin(contention: Contention): void;
  measure(measureMs: number): Promise<ContenderAnswer>;
}
