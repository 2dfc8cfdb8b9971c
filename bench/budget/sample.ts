/** Microseconds of CPU time per cycle by what they were spent on. */
export type Lines = Readonly<Record<string, number>>;

/** Where the CPU time of one subject's cycles went in one run. */
export interface BudgetSample {
  readonly cyclesPerSecond: number;
  readonly p50Ms: number;
  /** The client's process: measured without a profile, divided by the shares of a profile. */
  readonly client: Lines;
  /** All nodes together. */
  readonly nodes: Lines;
}
