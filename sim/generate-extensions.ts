import { keptMs } from "../src/protocol/lease-times.js";
import { hashText, seededRandom, type Random } from "./random.js";
import type { Fault, LockSettings, Scenario, Session } from "./scenario.js";

/**
 * The same scenario with locks that are extended for longer than their ttl, and often shortly after that for less.
 * Many of their holders do not run meanwhile, are cut off, or die, and others wait for them. Node clocks are stepped
 * within the margin.
 */
export function withExtensions(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "extensions"));
  const { driftFactor } = scenario.options;
  const ttlMs = random.oneOf([200, 300, 500, 1_000]);
  const longestMs = ttlMs * random.oneOf([3, 5, 10]);
  const lockDelayMs = random.chance(20) ? random.between(1, ttlMs) : 0;
  const clockStepMs = random.oneOf([0, 50, 50, ttlMs, 1_000, 5_000]);
  const options: LockSettings = {
    ...scenario.options,
    ttlMs,
    maxTtlMs: keptMs({ ttlMs: longestMs, driftFactor, lockDelayMs }),
    lockDelayMs,
    nodeTimeoutMs: Math.min(scenario.options.nodeTimeoutMs, ttlMs / 2),
    renew: random.chance(60),
    clockStepMs,
  };
  // One kind in a run: a set of names has no promise beside a stream of readers.
  const kind = random.chance(50) ? {} : random.oneOf(KINDS);
  const workload = scenario.workload.map((session) => {
    const ofKind = random.chance(70) ? { ...session, ...kind } : session;
    return random.chance(60) ? extended(random, ofKind, ttlMs, longestMs) : ofKind;
  });
  const faults = [
    ...scenario.faults,
    ...workload.flatMap((session) => absence(random, session, longestMs)),
    ...steps(random, scenario, clockStepMs),
  ];
  return {
    ...scenario,
    options,
    clients: scenario.clients.map((client) => ({ ...client, options: undefined })),
    workload,
    faults: faults.toSorted((a, b) => a.atMs - b.atMs),
  };
}

const KINDS: readonly Partial<Session>[] = [
  { mode: "shared" },
  { permits: 2 },
  { owner: "job" },
  { also: ["c"] },
  { adopters: [{ client: 1, afterMs: 5 }] },
];

function extended(random: Random, session: Session, ttlMs: number, longestMs: number): Session {
  // Most are for longer, in any order.
  const extendToMs = Array.from({ length: random.between(1, 4) }, () =>
    random.between(random.chance(80) ? ttlMs : 10, longestMs),
  );
  return {
    ...session,
    holdMs: random.between(1, random.chance(50) ? ttlMs : longestMs),
    writeCount: random.below(3),
    extendCount: extendToMs.length,
    extendToMs,
  };
}

/** Its holder cannot renew it for a while, or never again. */
function absence(random: Random, session: Session, longestMs: number): Fault[] {
  const { client, atMs: askedMs, holdMs, extendToMs } = session;
  if (extendToMs === undefined || !random.chance(60)) return [];
  const atMs = askedMs + random.between(Math.ceil(holdMs / 3), 2 * holdMs);
  const forMs = random.between(Math.ceil(longestMs / 10), longestMs);
  return [{ kind: random.oneOf(["pause", "pause", "pause", "kill"]), client, atMs, forMs }];
}

/** One step of each clock at most, within the margin. Where a node loses its counters, its clock has to be right. */
export function steps(
  random: Random,
  { nodeCount, chaosMs, faults }: Scenario,
  clockStepMs: number,
): Fault[] {
  const isForgetful = faults.some(
    (fault) => fault.kind === "forget" || (fault.kind === "crash" && fault.mode !== "persisted"),
  );
  if (clockStepMs === 0 || isForgetful || !random.chance(50)) return [];
  return Array.from({ length: nodeCount }, (_, node): Fault => {
    const byMs = random.between(1, clockStepMs);
    return { kind: "nodeJump", node, atMs: random.below(chaosMs), byMs };
  });
}
