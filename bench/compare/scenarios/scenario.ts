import type { ClientOptions } from "../client-options.js";
import type { Subject } from "../subjects/subject.js";

/** The observation of one run. */
export interface Observation {
  /** A few words for the table. */
  readonly cell: string;
  /** The measurements behind the words; times in ms. */
  readonly facts: Readonly<Record<string, Fact>>;
}

export type Fact = string | number | boolean | null | undefined | readonly Fact[];

/** One fault, the same for every subject. Each scenario is one small file, and one line in `index.ts`. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What is done to which node, and when. */
  readonly setUp: string;
  /** What a good answer is. */
  readonly good: string;
  /** What the documentation says about relevant settings. */
  readonly note?: string;
  /** Ttl of the lock, ms; the same for all subjects. */
  readonly ttlMs: number;
  /** Run again with the subject's own default ttl if it differs. */
  readonly isTtlSensitive?: boolean;
  /** Peers are run again with a timeout on the commands of their clients. */
  readonly isClientSensitive?: boolean;
  /** Nothing else runs at the same time. */
  readonly isAlone?: boolean;
  /** The longest that a run takes with that ttl, ms, if nothing blocks the process. */
  limitMs(ttlMs: number): number;
  run(subject: Subject, ttlMs: number, options: ClientOptions): Promise<Observation>;
}

/** How long to wait for a call that should settle, ms. */
export const SETTLE_LIMIT_MS = 30_000;
