import type { EndEvent, History, LostEvent, Violate } from "./history.js";
import { stopsOf, type Stop } from "./stops.js";

/** Timers are armed for at most so long, µs: what a jump of a clock does is seen by then. */
const HEARTBEAT_US = 1_010_000;

/**
 * S6: a loss is reported when the validity ends, whatever the network does. A process that was stopped then is
 * notified first when it continues, and one whose clock jumped within a heartbeat. And no holder is ever told that it
 * holds a lock that it does not hold. Holders that only poll for the end of the lock are not notified.
 */
export function checkLoss(history: History, violate: Violate): void {
  const { settings, events } = history;
  const stops = stopsOf(history);
  const lost = new Map<string, LostEvent>();
  const ended = new Map<string, EndEvent>();
  const believed = new Set<string>();
  /** Of locks that were passed on: the token of whoever has it now. */
  const passedOn = new Map<string, number | undefined>();
  const unwatched = new Set<string>();
  const settled = new Map<string, number>();
  const crashed = new Map<string, number>();
  for (const event of events) {
    if (event.kind === "lost") lost.set(event.ownerId, event);
    else if (event.kind === "unwatched") unwatched.add(event.ownerId);
    else if (event.kind === "grant") believed.add(event.ownerId);
    else if (event.kind === "call") {
      const { what, ownerId, atUs } = event;
      if (what === "release" && ownerId !== undefined) settled.set(ownerId, atUs);
    } else if (event.kind === "passed") {
      passedOn.set(event.ownerId, event.token);
      // That was the release of the one before.
      settled.delete(event.ownerId);
    } else if (event.kind === "end") {
      believed.delete(event.ownerId);
      ended.set(event.ownerId, event);
    } else if (event.kind === "process" && event.what === "crash") {
      crashed.set(event.process, event.atUs);
    } else if (event.kind === "check") {
      const { ownerId, token } = event;
      const isAnothers = passedOn.has(ownerId) && passedOn.get(ownerId) !== token;
      if (believed.has(ownerId) && !isAnothers) continue;
      const message = `${event.ownerId} was told that it holds ${event.name}, which it did not`;
      violate(event.atUs, message);
    }
  }
  const lastUs = events.at(-1)?.atUs ?? 0;
  for (const end of ended.values()) {
    if (end.why !== "expired" || unwatched.has(end.ownerId)) continue;
    const dueUs = dueTime(end, stops, settings.lossSlopUs);
    // A release, or the end of the process or of the history, came first: there was nobody to notify.
    const untilUs = Math.min(
      crashed.get(end.process) ?? Infinity,
      settled.get(end.ownerId) ?? Infinity,
    );
    if (untilUs <= dueUs || lastUs <= dueUs) continue;
    const toldUs = lost.get(end.ownerId)?.atUs ?? Number.POSITIVE_INFINITY;
    if (toldUs <= dueUs) continue;
    const late = toldUs === Infinity ? "never" : `${(toldUs - dueUs) / 1_000} ms late`;
    const message = `${end.ownerId} ran out, and its holder was told ${late}`;
    violate(end.atUs, message);
  }
}

/** The latest instant at which the loss must have been reported. */
function dueTime(end: EndEvent, stops: readonly Stop[], slopUs: number): number {
  let dueUs = end.atUs + slopUs;
  for (const stop of stops) {
    if (stop.process !== end.process || stop.fromUs > dueUs) continue;
    if (stop.kind === "pause") {
      if (stop.toUs > end.atUs) dueUs = Math.max(dueUs, stop.toUs + slopUs);
    } else if (stop.toUs >= end.atUs - HEARTBEAT_US) {
      dueUs = Math.max(dueUs, Math.max(stop.toUs, end.atUs) + HEARTBEAT_US + slopUs);
    }
  }
  return dueUs;
}
