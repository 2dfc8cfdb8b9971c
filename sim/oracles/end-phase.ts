import type { CallEvent, History, HistoryEvent } from "./history.js";

/** Which part of the phase is long enough for each waiter. What services want has less time, and other reasons to fail. */
const LONG = 0.75;

/** What follows in a run once a quorum of nodes is healthy, until all who wait must have been granted something. */
export interface EndPhase {
  readonly events: readonly HistoryEvent[];
  /** The acquires that were called in it. */
  readonly acquires: readonly CallEvent[];
  readonly untilUs: number;
  readonly forMs: number;
  /** False where the clocks that decide the order disagree: then one that was granted is enough. */
  readonly isEachGranted: boolean;
}

/** @returns undefined if the run has none */
export function endPhaseOf({ events, settings }: History): EndPhase | undefined {
  const from = events.findIndex((event) => event.kind === "phase" && event.what === "heal");
  const to = events.findIndex((event) => event.kind === "phase" && event.what === "progress");
  const [first, last] = [events[from], events[to]];
  if (first === undefined || last === undefined) return undefined;
  const forMs = (last.atUs - first.atUs) / 1_000;
  const within = events.slice(from, to);
  return {
    events: within,
    acquires: within.flatMap((event) =>
      event.kind === "call" && event.what === "acquire" ? event : [],
    ),
    untilUs: last.atUs,
    forMs,
    isEachGranted: settings.areWallsApart !== true,
  };
}

/**
 * Of the acquires that were ready to wait for nearly all of it: those that were not granted though each must
 * have been; or where one is enough, all if none was.
 */
export function starvedIn(
  { events, acquires, untilUs, forMs, isEachGranted }: EndPhase,
  isJudged: (call: CallEvent) => boolean,
): CallEvent[] {
  const granted = new Set(
    events.flatMap((event) =>
      event.kind === "settle" && event.result === "granted" ? event.call : [],
    ),
  );
  const judged = acquires.filter((call) => {
    const leftMs = (untilUs - call.atUs) / 1_000;
    return Math.min(leftMs, call.waitMs ?? 0) > LONG * forMs && isJudged(call);
  });
  const starved = judged.filter(({ call }) => !granted.has(call));
  return isEachGranted || starved.length === judged.length ? starved : [];
}
