import { validUntilMs } from "../src/protocol/lease-times.js";
import { LONGEST_HOLD_MS } from "./generate-delays.js";
import { hashText, seededRandom, type Random } from "./random.js";
import type { LockSettings, RequestSettings, Scenario, Session } from "./scenario.js";

/**
 * The same scenario with requests that have options of their own: what they share in their process (its wait queue,
 * passing on, what others were told) must not pass one's options on to another. Some processes take
 * the longest ttl that the others have put on record.
 */
export function withRequestOptions(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "options of requests"));
  const { options } = scenario;
  const workload = scenario.workload.map((session) =>
    random.chance(60) ? { ...session, options: optionsOf(random, options, session) } : session,
  );
  const clients = scenario.clients.map((client) =>
    random.chance(30)
      ? { ...client, options: { ...client.options, takesRecordedTtl: true } }
      : client,
  );
  return { ...scenario, clients, workload };
}

/** With a short ttl, the deadline of its nodes is shorter as well: half of it. */
function optionsOf(random: Random, options: LockSettings, session: Session): RequestSettings {
  const { ttlMs: usualMs, maxTtlMs, nodeTimeoutMs, renew, driftFactor, fair = false } = options;
  const ttlMs = random.oneOf([usualMs, usualMs, Math.max(usualMs / 2, nodeTimeoutMs), maxTtlMs]);
  const longestMs = Math.min(LONGEST_HOLD_MS, validUntilMs(0, ttlMs, driftFactor));
  const minHoldMs = Math.floor(longestMs * random.oneOf([0, 0, 0.1, 0.5, 0.9]));
  return {
    ttlMs,
    fair: random.chance(25) ? !fair : fair,
    renew: random.chance(25) ? !renew : renew,
    // Only a lock that is nobody else's has one. With so little time left, hardly any attempt is in time.
    ...(isPlain(session) && { minHoldMs }),
  };
}

/** Nobody else has it meanwhile. */
export function isPlain({ mode, owner, permits, also = [] }: Session): boolean {
  return mode === undefined && owner === undefined && permits === undefined && also.length === 0;
}
