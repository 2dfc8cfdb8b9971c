import type { ClientOptions } from "../client-options.js";
import type { Subject } from "../subjects/subject.js";

/** What was seen in one run. */
export interface Observation {
  /** For the table: a few words. */
  readonly cell: string;
  /** What the words were made of; times in ms. */
  readonly facts: Readonly<Record<string, Fact>>;
}

export type Fact = string | number | boolean | null | undefined | readonly Fact[];

/** One fault, the same for every subject. One small file each, and one line in `index.ts`. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** What is done, to which node, and when. */
  readonly setUp: string;
  /** What a good answer is. */
  readonly good: string;
  /** What documentation says about settings that matter here. */
  readonly note?: string;
  /** Life of the lock, ms; the same for all subjects. */
  readonly ttlMs: number;
  /** Run again with the subject's own default ttl where that is another one. */
  readonly isTtlSensitive?: boolean;
  /** Peers are run again with a deadline on the commands of their clients. */
  readonly isClientSensitive?: boolean;
  /** Nothing else runs meanwhile. */
  readonly isAlone?: boolean;
  /** Longest that a run takes with that ttl, ms, if nothing stops the process. */
  limitMs(ttlMs: number): number;
  run(subject: Subject, ttlMs: number, options: ClientOptions): Promise<Observation>;
}

/** How long a call that should settle is waited for, ms. */
export const SETTLE_LIMIT_MS = 30_000;
