import type { CallEvent, History, Violate } from "./history.js";

/** Fixed part of the drift, ms: Redis rounds to 1 ms, and so may a timer. */
const DRIFT_FLOOR_MS = 2;

/** How long before the end of its validity a loss may be reported, ms. */
const LEAD_MS = 5;

/**
 * L7: an extend that resolves has made the lock last for as long as it was asked to, less drift, and until then the
 * lock does not run out; nothing shortens it. It may have shared a round that was sent before, but no longer ago than a round takes.
 */
export function checkExtensions({ settings, events }: History, violate: Violate): void {
  const calls = new Map<number, CallEvent>();
  /** By owner: until when it counts as held, and until when it must, lease clock, ms. */
  const valid = new Map<string, number>();
  const promised = new Map<string, number>();
  for (const event of events) {
    const { kind, atUs } = event;
    if (kind === "call" && event.what === "extend") calls.set(event.call, event);
    else if (kind === "grant" || kind === "validity") {
      const { ownerId, validUntilMs } = event;
      const lessMs = (valid.get(ownerId) ?? validUntilMs) - validUntilMs;
      valid.set(ownerId, validUntilMs);
      if (lessMs > 0) violate(atUs, `a renewal took ${lessMs.toFixed(3)} ms away from ${ownerId}`);
    } else if (kind === "settle" && event.result === "extended") {
      const { ownerId = "", toMs, leaseMs = 0, withinMs = 0 } = calls.get(event.call) ?? {};
      if (toMs === undefined) continue;
      const driftMs = Math.ceil(toMs * settings.driftFactor) + DRIFT_FLOOR_MS;
      const untilMs = leaseMs - withinMs + toMs - driftMs;
      promised.set(ownerId, Math.max(untilMs, promised.get(ownerId) ?? 0));
      const lacksMs = untilMs - (valid.get(ownerId) ?? 0);
      if (lacksMs <= 0) continue;
      violate(atUs, `${ownerId} was extended to ${toMs} ms, and lacks ${lacksMs.toFixed(3)}`);
    } else if (kind === "lost" && event.reason === "expired") {
      const { ownerId, leaseMs = Infinity } = event;
      const earlyMs = (promised.get(ownerId) ?? 0) - LEAD_MS - leaseMs;
      if (earlyMs <= 0) continue;
      violate(atUs, `${ownerId} ran out ${earlyMs.toFixed(3)} ms before it was promised to`);
    }
  }
}
