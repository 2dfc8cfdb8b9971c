import { getOrAdd } from "./get-or-add.js";
import type { CallEvent, History, Violate } from "./history.js";
import { stopsOf, type Stop } from "./stops.js";

/** Timers are whole ms, and a call may need several of them. */
const TIMERS_MS = 6;

/**
 * L1: every call settles within the time it promises, by the caller's monotonic clock; the time for which the process
 * was stopped does not count, nor do attempts of the process in front of a call that makes one only. No hang at an even
 * node count, none on nodes that never answer.
 */
export function checkSettling(history: History, violate: Violate): void {
  const { settings, events } = history;
  const stops = stopsOf(history);
  const calls = new Map<number, CallEvent>();
  const gone = new Set<string>();
  /** By process: when each of its attempts began. */
  const attempts = new Map<string, Map<number, number>>();
  const say = ({ what, process, name, atUs }: CallEvent, how: string): void => {
    violate(atUs, `${what} of ${name} by ${process} ${how}`);
  };
  const slackMs = TIMERS_MS + (4 * settings.timerSlopUs) / 1_000;
  const msPerUs = (1 + settings.steadyPpm / 1_000_000) / 1_000;
  const promisedMs = ({ withinMs, queue, process, atUs }: CallEvent): number => {
    if (queue === undefined) return withinMs;
    const begun = [...(attempts.get(process)?.values() ?? [])];
    // Without its own. Those for which nodes keep a name overtake it.
    const laterCount = begun.filter((begunUs) => begunUs >= atUs).length - 1;
    const aheadCount = queue.underWayCount + Math.max(0, laterCount);
    return withinMs + Math.floor(aheadCount / queue.window) * queue.attemptMs;
  };
  let lastUs = 0;
  for (const event of events) {
    lastUs = event.atUs;
    if (event.kind === "call") calls.set(event.call, event);
    else if (event.kind === "send") {
      if (event.op !== "acquire") continue;
      const begun = getOrAdd(attempts, event.process, () => new Map());
      if (!begun.has(event.round)) begun.set(event.round, event.atUs);
    } else if (event.kind === "process" && event.what === "crash") gone.add(event.process);
    else if (event.kind === "settle") {
      const call = calls.get(event.call);
      if (call === undefined) continue;
      calls.delete(event.call);
      const tookMs = event.steadyMs - call.steadyMs;
      const stoppedMs = stoppedTimeUs(stops, call, event.atUs) * msPerUs;
      const withinMs = promisedMs(call);
      if (tookMs <= withinMs + slackMs + stoppedMs) continue;
      say(call, `took ${tookMs.toFixed(1)} ms, promised ${withinMs}`);
    }
  }
  for (const call of calls.values()) {
    const dueUs =
      call.atUs + (promisedMs(call) + slackMs) * 1_010 + stoppedTimeUs(stops, call, lastUs);
    if (!gone.has(call.process) && lastUs > dueUs) say(call, "never settled");
  }
}

function stoppedTimeUs(stops: readonly Stop[], call: CallEvent, endUs: number): number {
  let stoppedUs = 0;
  for (const { process, fromUs, toUs } of stops) {
    if (process !== call.process) continue;
    stoppedUs += Math.max(0, Math.min(toUs, endUs) - Math.max(fromUs, call.atUs));
  }
  return stoppedUs;
}
