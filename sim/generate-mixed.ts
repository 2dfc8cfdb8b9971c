import { hashText, seededRandom, type Random } from "./random.js";
import type { LockSettings, RequestSettings, Scenario } from "./scenario.js";
import { validUntilMs } from "../src/protocol/validity.js";

/**
 * The same scenario with requests that have options of their own: what they share in their process (its wait queue,
 * hand-overs, what others were told) must not pass one's options on to another.
 */
export function withMixed(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "options of requests"));
  const { options } = scenario;
  const workload = scenario.workload.map((session) =>
    random.chance(60) ? { ...session, options: optionsOf(random, options) } : session,
  );
  // A fair one lets nobody pass, whatever it asks for.
  const isPicky = options.fair !== true && random.chance(60);
  return { ...scenario, workload, ...(isPicky && { picky: pickyOf(random, options) }) };
}

/** Node deadlines are never longer than promised for the process: single attempts wait for each other. */
function optionsOf(random: Random, options: LockSettings): RequestSettings {
  const { ttlMs: usualMs, maxTtlMs, nodeTimeoutMs, fencing, fair = false } = options;
  const ttlMs = random.oneOf([
    usualMs,
    usualMs,
    Math.max(usualMs / 2, 2 * nodeTimeoutMs),
    maxTtlMs,
  ]);
  return {
    ttlMs,
    nodeTimeoutMs: Math.ceil(nodeTimeoutMs / random.oneOf([1, 1, 2, 10, 50])),
    minValidityMs: Math.floor(ttlMs * random.oneOf([0, 0, 0.1, 0.5, 0.9])),
    fencing: random.chance(25) ? !fencing : fencing,
    fair: random.chance(25) ? !fair : fair,
  };
}

/** Answers take longer than that, or leave less time than that. */
function pickyOf(random: Random, { ttlMs, driftFactor }: LockSettings): RequestSettings {
  if (random.chance(50)) return { nodeTimeoutMs: 1 };
  return { ttlMs, minValidityMs: Math.ceil(validUntilMs(0, ttlMs, driftFactor)) - 1 };
}
