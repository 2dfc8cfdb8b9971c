import { hashText, seededRandom, type Random } from "./random.js";
import type { LockSettings, RequestSettings, Scenario } from "./scenario.js";

/**
 * The same scenario with requests that have options of their own: what they share in their process (its wait queue,
 * hand-overs, what others were told) must not pass one's options on to another. Some processes take the longest ttl that
 * the others have put on record.
 */
export function withMixed(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "options of requests"));
  const { options } = scenario;
  const workload = scenario.workload.map((session) =>
    random.chance(60) ? { ...session, options: optionsOf(random, options) } : session,
  );
  const clients = scenario.clients.map((client) =>
    random.chance(30)
      ? { ...client, options: { ...client.options, takesRecordedTtl: true } }
      : client,
  );
  return { ...scenario, clients, workload };
}

function optionsOf(random: Random, options: LockSettings): RequestSettings {
  const { ttlMs: usualMs, maxTtlMs, nodeTimeoutMs, fair = false } = options;
  const shorterMs = Math.max(usualMs / 2, 2 * nodeTimeoutMs);
  return {
    ttlMs: random.oneOf([usualMs, usualMs, shorterMs, maxTtlMs]),
    fair: random.chance(25) ? !fair : fair,
  };
}
