import { keptMs } from "../src/protocol/lease-times.js";
import { quorumSize } from "../src/protocol/quorum.js";
import { hashText, seededRandom, type Random } from "./random.js";
import type { Fault, LockSettings, NodeSettings, Scenario, Session } from "./scenario.js";

/** The rate at which chronyd slews a clock by default, parts per million. */
const SLEW_PPM = 83_333;

/** Longer than the whole run: the client stays cut off from the node. */
const FOR_GOOD_MS = 60_000;

/**
 * The same scenario with node clocks that are stepped and slewed within the margin of the locks, when it hurts
 * most. One client acquires locks repeatedly on no more nodes than a quorum. The clocks of those nodes are set just
 * before its keys end, or just before other clients ask, some of which have waited and some have only just started.
 */
export function withSteps(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "clocks that step"));
  const { nodeCount } = scenario;
  const order = shuffled(random, nodeCount);
  const quorum = quorumSize(nodeCount);
  // A quorum, all, or a minority (none of a single node): with a minority, a violation is not the clocks' fault.
  const stepped = order.slice(0, random.oneOf([quorum, quorum, nodeCount - quorum, nodeCount]));
  const chaosMs = 4_000;
  const ttlMs = random.oneOf([200, 500, 1_000, 1_000]);
  const lockDelayMs = random.chance(20) ? random.between(1, ttlMs) : 0;
  const clockStepMs = random.oneOf([20, 100, ttlMs, 2 * ttlMs, 5_000]);
  const { driftFactor } = scenario.options;
  const options: LockSettings = {
    ...scenario.options,
    ttlMs,
    maxTtlMs: keptMs({ ttlMs: ttlMs * random.oneOf([1, 1, 2]), driftFactor, lockDelayMs }),
    lockDelayMs,
    nodeTimeoutMs: random.oneOf([50, 100]),
    renew: random.chance(50),
    maxHoldMs: null,
    maxDelayMs: 100,
    clockStepMs,
  };
  const nodes = scenario.nodes.map((node): NodeSettings => ({
    ...node,
    // Telling the keys apart must not need the allowance for rates and that for steps at once.
    wallOffsetMs: random.between(-10, 10),
  }));
  const clients = [0, 1, 2, 3].map((index) => ({
    wallOffsetMs: random.between(-50, 50),
    steadyPpm: ratePpm(random),
    wallPpm: 0,
    startMs: index < 2 ? 0 : random.below(chaosMs),
  }));
  const workload: Session[] = [];
  const faults: Fault[] = order
    .slice(quorum)
    .map((node) => ({ ...cutOff(0, node), atMs: 0, forMs: FOR_GOOD_MS }));
  const jumps: Jump[] = [];
  const kind = kindOf(random);
  for (let atMs = 20; atMs < chaosMs - ttlMs; atMs += random.between(ttlMs / 2, 2 * ttlMs)) {
    const holdMs = random.between(ttlMs / 2, 2 * ttlMs);
    const hold = { ...SESSION, ...kind.held, atMs, client: 0, waitMs: ttlMs / 2, holdMs };
    workload.push({ ...hold, release: random.oneOf(["once", "atEnd"] as const) });
    const askMs = atMs + random.below(ttlMs);
    const leftMs = ttlMs - (askMs - atMs);
    for (const node of stepped) {
      if (!random.chance(60)) continue;
      const stepMs = Math.max(1, askMs + random.between(-5, 5));
      const byMs = random.chance(40)
        ? Math.max(1, leftMs + random.between(-10, 10))
        : logUniform(random, 2 * clockStepMs);
      jumps.push({ atMs: stepMs, node, byMs });
      if (!random.chance(40)) continue;
      const backMs = random.chance(70) ? byMs : logUniform(random, 2 * clockStepMs);
      jumps.push({ atMs: stepMs + random.between(1, 60), node, byMs: -backMs });
    }
    for (let other = 0; other < 2; other++) {
      const asked = Math.max(0, askMs + random.between(-40, 60));
      const waitMs = random.oneOf([0, 50, 200, ttlMs, 3 * ttlMs]);
      const asks = { ...SESSION, ...kind.asked(random), atMs: asked, waitMs };
      workload.push({ ...asks, client: random.between(1, 3), holdMs: random.between(1, 100) });
    }
    const client = random.between(0, 3);
    const atOnceMs = Math.max(1, askMs + random.between(-80, 30));
    const forMs = random.between(1, 40);
    if (random.chance(40)) faults.push({ kind: "kill", atMs: atOnceMs, client, forMs });
    const longMs = random.between(1, 2 * ttlMs);
    if (random.chance(20)) faults.push({ kind: "pause", atMs: askMs, client, forMs: longMs });
    if (random.chance(20)) faults.push({ kind: "suspend", atMs: askMs, client, forMs: longMs });
  }
  const [slow] = stepped;
  if (slow !== undefined && nodeCount > 1 && random.chance(30)) {
    const atMs = random.below(chaosMs);
    const forMs = random.between(1, 100);
    faults.push({ kind: "crash", atMs, node: slow, mode: "amnesia", forMs });
    // It comes back empty with a slow clock, which is corrected later.
    const byMs = random.between(1, clockStepMs);
    jumps.push({ atMs, node: slow, byMs: -byMs });
    jumps.push({ atMs: atMs + forMs + random.between(20, 2_000), node: slow, byMs });
  }
  return {
    ...scenario,
    options,
    nodes,
    clients,
    chaosMs,
    workload: workload.toSorted((a, b) => a.atMs - b.atMs),
    faults: [
      ...faults,
      ...stepped.flatMap((node) => ofClock(random, node, jumps, clockStepMs)),
    ].toSorted((a, b) => a.atMs - b.atMs),
    distancesUs: undefined,
  };
}

const SESSION: Session = {
  atMs: 0,
  client: 0,
  name: "a",
  waitMs: 0,
  holdMs: 1,
  writeCount: 3,
  extendCount: 0,
  release: "once",
};

/** What the first client holds, and what the others ask for. */
interface StepKind {
  readonly held: Partial<Session>;
  asked(random: Random): Partial<Session>;
}

function kindOf(random: Random): StepKind {
  const permits = random.oneOf([1, 2]);
  const kinds: readonly StepKind[] = [
    { held: {}, asked: () => ({}) },
    { held: { mode: "shared" }, asked: (draw) => (draw.chance(40) ? { mode: "shared" } : {}) },
    { held: {}, asked: () => ({ mode: "shared" }) },
    { held: { permits }, asked: () => ({ permits }) },
    { held: { owner: "job" }, asked: (draw) => ({ owner: draw.oneOf(["job", "task"]) }) },
    { held: { also: ["b"] }, asked: (draw) => draw.oneOf([{}, { name: "b" }, { also: ["b"] }]) },
    { held: { adopters: [{ client: 1, afterMs: 5 }] }, asked: () => ({}) },
  ];
  return random.chance(40) ? (kinds[0] as StepKind) : random.oneOf(kinds);
}

interface Jump {
  readonly atMs: number;
  readonly node: number;
  readonly byMs: number;
}

/** The faults of one clock: no stretch of the run gains more than the margin, by stepping and slewing together. */
function ofClock(random: Random, node: number, jumps: readonly Jump[], mostMs: number): Fault[] {
  const faults: Fault[] = [];
  const slewedMs = random.chance(30) ? random.between(1, mostMs) : 0;
  if (slewedMs > 0) {
    const atMs = random.below(3_000);
    const forMs = Math.floor((slewedMs * 1_000_000) / SLEW_PPM);
    faults.push({ kind: "nodeRate", atMs, node, ratePpm: SLEW_PPM });
    faults.push({ kind: "nodeRate", atMs: atMs + forMs, node, ratePpm: 0 });
  }
  const own = jumps.filter((jump) => jump.node === node).toSorted((a, b) => a.atMs - b.atMs);
  // The most that any stretch ending here has gained.
  let gainedMs = slewedMs;
  for (const { atMs, byMs: wantedMs } of own) {
    const byMs = Math.min(wantedMs, mostMs - gainedMs);
    gainedMs = Math.max(slewedMs, gainedMs + byMs);
    if (byMs !== 0) faults.push({ kind: "nodeJump", atMs, node, byMs });
  }
  return faults;
}

function cutOff(client: number, node: number) {
  return { kind: "partition", client, node, way: "both" } as const;
}

function ratePpm(random: Random): number {
  return random.chance(30) ? random.oneOf([-5_000, 5_000]) : random.between(-100, 100);
}

/** At least 1 ms, log-uniform: short steps are as likely as long ones. */
function logUniform(random: Random, mostMs: number): number {
  return Math.max(1, Math.round(Math.exp((Math.log(mostMs) * random.below(10_001)) / 10_000)));
}

function shuffled(random: Random, count: number): number[] {
  const left = Array.from({ length: count }, (_, index) => index);
  return Array.from(
    { length: count },
    () => left.splice(random.below(left.length), 1)[0] as number,
  );
}
