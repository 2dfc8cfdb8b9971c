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
    switch (event.kind) {
      case "call":
        if (event.what === "extend") calls.set(event.call, event);
        break;
      case "grant":
        valid.set(event.ownerId, event.validUntilMs);
        break;
      case "validity": {
        const { ownerId, validUntilMs, atUs } = event;
        const lessMs = (valid.get(ownerId) ?? 0) - validUntilMs;
        valid.set(ownerId, validUntilMs);
        if (lessMs <= 0) break;
        violate(atUs, `a renewal of ${ownerId} took ${lessMs.toFixed(3)} ms away from it`);
        break;
      }
      case "settle": {
        const { ownerId = "", toMs, leaseMs = 0, withinMs = 0 } = calls.get(event.call) ?? {};
        if (event.result !== "extended" || toMs === undefined) break;
        const driftMs = Math.ceil(toMs * settings.driftFactor) + DRIFT_FLOOR_MS;
        const untilMs = leaseMs - withinMs + toMs - driftMs;
        promised.set(ownerId, Math.max(untilMs, promised.get(ownerId) ?? 0));
        const lacksMs = untilMs - (valid.get(ownerId) ?? 0);
        if (lacksMs <= 0) break;
        const message = `${ownerId} was extended to ${toMs} ms, and lacks ${lacksMs.toFixed(3)}`;
        violate(event.atUs, message);
        break;
      }
      case "lost": {
        const { ownerId, reason, leaseMs = Infinity } = event;
        const earlyMs = (promised.get(ownerId) ?? 0) - LEAD_MS - leaseMs;
        if (reason !== "expired" || earlyMs <= 0) break;
        const message = `${ownerId} ran out ${earlyMs.toFixed(3)} ms before it was promised to`;
        violate(event.atUs, message);
        break;
      }
    }
  }
}
