import { CLOSE_CALLS, closeCallsOf, type CloseCalls } from "../oracles/close-calls.js";
import { coverageOf, SOMETIMES, type Coverage } from "../oracles/coverage.js";
import { smallestMarginUs } from "../oracles/margin.js";
import type { OracleId, Violation } from "../oracles/history.js";
import type { RunResult } from "../simulate.js";

/** Events that should occur in at least one run of a large campaign over all profiles. */
export const EVENTS = [...SOMETIMES, ...CLOSE_CALLS] as const;

export type EventCounts = Readonly<Coverage & CloseCalls>;

/** A scenario that broke a promise; its profile and seed reproduce it. */
export interface Failure {
  readonly profile: string;
  readonly seed: number;
  /** The first safety violation, or the first violation if there is none. */
  readonly first: Violation;
}

/** `S1 violated by swarm seed 7: ...` */
export function failureLine({ profile, seed, first }: Failure): string {
  return `${first.id} violated by ${profile} seed ${seed}: ${first.message}`;
}

/** Safety: something bad happens. Liveness: something good fails to happen. */
export function isSafety(id: OracleId): boolean {
  return !id.startsWith("L");
}

/** Results of a number of runs: plain data, sent between processes. */
export interface Tally {
  runCount: number;
  eventCount: number;
  /** Null stands for Infinity, which JSON cannot express: nothing was granted yet. */
  marginUs: number | null;
  /** The number of runs in which each event occurred. */
  readonly seen: Record<(typeof EVENTS)[number], number>;
  readonly failures: Failure[];
}

export function emptyTally(): Tally {
  const seen = Object.fromEntries(EVENTS.map((what) => [what, 0])) as Tally["seen"];
  return { runCount: 0, eventCount: 0, marginUs: null, seen, failures: [] };
}

/** @param isInModel outside of the model, beliefs may overlap */
export function addRun(
  tally: Tally,
  about: { readonly profile: string; readonly seed: number; readonly isInModel: boolean },
  result: RunResult,
): void {
  const counts: EventCounts = { ...coverageOf(result.history), ...closeCallsOf(result.history) };
  tally.runCount++;
  tally.eventCount += result.eventCount;
  for (const what of EVENTS) if (counts[what] > 0) tally.seen[what]++;
  if (about.isInModel) tally.marginUs = smaller(tally.marginUs, smallestMarginUs(result.history));
  // A run that broke both safety and liveness must not be reported as a liveness failure only.
  const first = result.violations.find(({ id }) => isSafety(id)) ?? result.violations[0];
  if (first !== undefined) {
    tally.failures.push({ profile: about.profile, seed: about.seed, first });
  }
}

export function addTally(total: Tally, part: Tally): void {
  total.runCount += part.runCount;
  total.eventCount += part.eventCount;
  for (const what of EVENTS) total.seen[what] += part.seen[what];
  if (part.marginUs !== null) total.marginUs = smaller(total.marginUs, part.marginUs);
  total.failures.push(...part.failures);
}

function smaller(a: number | null, b: number): number | null {
  if (b === Number.POSITIVE_INFINITY) return a;
  return a === null ? b : Math.min(a, b);
}
