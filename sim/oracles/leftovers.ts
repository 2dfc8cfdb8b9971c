import {
  longestMinHoldUs,
  placeOf,
  type History,
  type SendEvent,
  type Violate,
} from "./history.js";

/** No message on healthy links takes that long, µs: waiters keep asking until their process closes. */
const IN_FLIGHT_US = 100_000;

/**
 * L3: no key of a failed attempt stays on any node once all links are healthy and messages in flight have had time to
 * arrive. Exceptions: keys of processes that died, or closed before a node took the release, are left to their ttl, those
 * of lost locks to their lock-delay, those of locks that were released early to their minimum hold, those handed over and
 * not adopted, and those restored with an older state of a node, which no process knows of.
 */
export function checkNodesClean({ settings, events }: History, violate: Violate): void {
  const held = new Set<string>();
  const crashed = new Set<string>();
  const given = new Set<string>();
  /** Owners whose release was still on its way to a node when their process closed, which waits only so long for that. */
  const cutShort = new Set<string>();
  /** Owners whose keys are meant to stay: they were not released. */
  const delayed = new Set<string>();
  /** By owner: until when its keys may stay although it has released them, µs. */
  const keptUntilUs = new Map<string, number>();
  /** By owner: what was sent last. */
  const sent = new Map<string, SendEvent>();
  const keys = new Map<string, { node: number; name: string; ownerId: string }>();
  for (const event of events) {
    if (event.kind === "grant") {
      held.add(event.ownerId);
      if ((event.lockDelayMs ?? 0) > 0) delayed.add(event.ownerId);
      const keptUs = longestMinHoldUs(event, settings);
      if (keptUs > 0) keptUntilUs.set(event.ownerId, event.atUs + keptUs);
    } else if (event.kind === "end") {
      held.delete(event.ownerId);
      if (event.why === "released") delayed.delete(event.ownerId);
      if (event.why === "given") given.add(event.ownerId);
    } else if (event.kind === "process" && event.what === "crash") crashed.add(event.process);
    else if (event.kind === "send") sent.set(event.ownerId, event);
    else if (event.kind === "vote" && event.op === "release" && event.fault === "closed")
      cutShort.add(event.ownerId);
    else if (event.kind === "key") {
      const { node, name, after, op } = event;
      if (after === undefined || op === "forget") keys.delete(placeOf(event));
      else keys.set(placeOf(event), { node, name, ownerId: after });
    } else if (event.kind === "phase" && event.what === "clean") {
      for (const { node, name, ownerId } of keys.values()) {
        const last = sent.get(ownerId);
        if (held.has(ownerId) || given.has(ownerId) || delayed.has(ownerId)) continue;
        if (cutShort.has(ownerId)) continue;
        if ((keptUntilUs.get(ownerId) ?? 0) >= event.atUs) continue;
        if (last === undefined || crashed.has(last.process)) continue;
        if (last.atUs > event.atUs - IN_FLIGHT_US) continue;
        const message = `node ${node} still has the key of ${ownerId} for ${name}, which was given up`;
        violate(event.atUs, message);
      }
    }
  }
}

/** L4: nothing is left in a closed process: no timer, no call that never settles. */
export function checkProcessClean({ events }: History, violate: Violate): void {
  const closing = new Map<string, number>();
  for (const event of events) {
    if (event.kind === "process" && event.what === "closing")
      closing.set(event.process, event.atUs);
    if (event.kind === "process" && event.what === "crash") closing.delete(event.process);
    if (event.kind !== "remains") continue;
    closing.delete(event.process);
    const { process, timerCount, openCallCount, atUs } = event;
    if (timerCount === 0 && openCallCount === 0) continue;
    const message = `${process} has ${timerCount} timers and ${openCallCount} open calls after close`;
    violate(atUs, message);
  }
  for (const [process, atUs] of closing) {
    violate(atUs, `${process} never finished to close`);
  }
}
