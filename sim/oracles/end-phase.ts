import type { CallEvent, History, HistoryEvent } from "./history.js";

/** Which part of the phase is long enough for each waiter. What services want has less time, and other reasons to fail. */
const LONG = 0.75;

/** What follows in a run once a quorum of nodes is healthy, until all who wait must have been granted something. */
export interface EndPhase {
  readonly events: readonly HistoryEvent[];
  readonly untilUs: number;
  readonly forMs: number;
  /** The order of waiters is by their wall clocks. */
  readonly isEachGranted: boolean;
}

/** @returns undefined if the run has none */
export function endPhaseOf({ events, settings }: History): EndPhase | undefined {
  const from = events.findIndex((event) => event.kind === "phase" && event.what === "heal");
  const to = events.findIndex((event) => event.kind === "phase" && event.what === "progress");
  const [first, last] = [events[from], events[to]];
  if (first === undefined || last === undefined) return undefined;
  const forMs = (last.atUs - first.atUs) / 1_000;
  const isEachGranted = settings.areWallsApart !== true;
  return { events: events.slice(from, to), untilUs: last.atUs, forMs, isEachGranted };
}

/**
 * Of the acquires that were ready to wait for nearly all of it: those that were not granted though each must
 * have been; or where one is enough, all if none was.
 */
export function starvedIn(
  { events, untilUs, forMs, isEachGranted }: EndPhase,
  isJudged: (call: CallEvent) => boolean,
): CallEvent[] {
  const longMs = LONG * forMs;
  const calls = new Map<number, CallEvent>();
  const granted = new Set<number>();
  for (const event of events) {
    if (event.kind === "call" && event.what === "acquire") {
      const leftMs = (untilUs - event.atUs) / 1_000;
      if (Math.min(leftMs, event.waitMs ?? 0) > longMs && isJudged(event))
        calls.set(event.call, event);
    } else if (event.kind === "settle" && event.result === "granted") granted.add(event.call);
  }
  const starved = [...calls.values()].filter(({ call }) => !granted.has(call));
  return isEachGranted || starved.length === calls.size ? starved : [];
}
