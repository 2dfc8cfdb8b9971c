import { keptMs } from "../src/protocol/lease-times.js";
import { hashText, seededRandom } from "./random.js";
import type { Scenario } from "./scenario.js";

/** No name stays closed for longer after its release, ms: a run ends before. */
export const LONGEST_HOLD_MS = 3_750;

/** The same scenario with names that stay closed after a loss or an early release, and locks with several handles. */
export function withDelays(scenario: Scenario): Scenario {
  const { options, clients, workload } = scenario;
  const random = seededRandom(hashText(scenario.seed, "names that stay closed"));
  const ttls = [options.ttlMs, ...clients.flatMap((client) => client.options?.ttlMs ?? [])];
  const lockDelayMs = random.chance(75) ? random.between(1, 1_500) : 0;
  // An acquire must have a good chance to finish while that much validity is left.
  const longestMs = Math.floor(Math.min(LONGEST_HOLD_MS, ...ttls) * 0.4);
  const minHoldMs = random.chance(75) ? random.between(1, longestMs) : 0;
  // No key may live longer than that.
  const { driftFactor } = options;
  const maxTtlMs = keptMs({ ttlMs: options.maxTtlMs, driftFactor, lockDelayMs });
  return {
    ...scenario,
    options: {
      ...options,
      lockDelayMs,
      minHoldMs,
      maxTtlMs,
    },
    workload: workload.map((session) => {
      return random.chance(40) ? { ...session, joinCount: random.between(1, 3) } : session;
    }),
  };
}
