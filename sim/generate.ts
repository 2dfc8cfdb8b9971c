import { withDelays } from "./generate-delays.js";
import { withDropIn } from "./generate-drop-in.js";
import { withQueueEnds } from "./generate-ends.js";
import { withObservers } from "./generate-observers.js";
import { withExtensions } from "./generate-extensions.js";
import { generateFaults, type Shape } from "./generate-faults.js";
import { withForgeries } from "./generate-forgeries.js";
import { withRelays } from "./generate-relays.js";
import { withKind } from "./generate-kinds.js";
import { withForeign } from "./foreign/generate.js";
import { withLiar } from "./generate-liar.js";
import { generateLists, serverCountOf, TTLS_OF_CHANGES_MS, withChanges } from "./generate-nodes.js";
import { withMixture } from "./generate-mixture.js";
import { withLooks } from "./generate-looks.js";
import { withRequestOptions } from "./generate-requests.js";
import { generateDistances, generateNetwork } from "./generate-network.js";
import { withResizes } from "./generate-resizes.js";
import { withSteps } from "./generate-steps.js";
import type { Profile } from "./profiles.js";
import { hashText, seededRandom, shuffled, type Random } from "./random.js";
import type { ClientSettings, LockSettings, NodeSettings, Scenario, Session } from "./scenario.js";
import { FENCE_BUCKETS } from "../src/protocol/keys.js";

/** Half a percent: how far each clock may be off if their relative rate may differ by one percent. */
const RATE_BOUND_PPM = 5_000;

const TTLS_MS = [200, 300, 500, 500, 1_000, 1_000, 2_000, 3_000, 10_000, 10_000];

/** Clocks at their bounds matter only at the very end of a lease: it must be reached, and be long enough. */
const SKEW_TTLS_MS = [500, 1_000, 2_000, 2_000, 3_000];

const TTLS_OF_PROFILE: Readonly<Partial<Record<Profile, readonly number[]>>> = {
  skew: SKEW_TTLS_MS,
  nodes: TTLS_OF_CHANGES_MS,
};

/**
 * Places in the queues are refreshed for a long time, and expire if refreshes are lost for long. A change of the nodes
 * has several steps.
 */
const CHAOS_UNIT_MS: Readonly<Partial<Record<Profile, number>>> = { waiting: 3_000, nodes: 2_000 };

/** Generates a scenario of a profile from a seed. The same seed gives the same scenario. */
export function generateScenario(seed: number, profile: Profile): Scenario {
  return withResizes(generateSteady(seed, profile));
}

/** In which no semaphore is resized. */
function generateSteady(seed: number, profile: Profile): Scenario {
  const random = seededRandom(hashText(seed, profile));
  const lists =
    profile === "nodes" ? generateLists(seededRandom(hashText(seed, "lists of nodes"))) : undefined;
  const drawn = random.oneOf([1, 2, 3, 3, 3, 3, 4, 5, 5, 7]);
  const nodeCount = lists === undefined ? drawn : serverCountOf(lists);
  const clientCount = random.between(2, 4);
  const options: LockSettings = {
    ...generateOptions(random, profile),
    // A random stream of its own leaves the other draws unchanged.
    ...(seededRandom(hashText(seed, `${profile} fair`)).chance(30) && { fair: true }),
    ...generateWindow(seededRandom(hashText(seed, `${profile} window`))),
    ...generateMargin(seededRandom(hashText(seed, `${profile} margin`))),
    ...generateLayout(seed, profile),
  };
  const chaosMs = random.between(2, 5) * (CHAOS_UNIT_MS[profile] ?? 1_000);
  const anyNodes = Array.from({ length: nodeCount }, () => generateNode(random, profile, options));
  const clients = Array.from({ length: clientCount }, (_, index) =>
    generateClient(random, profile, index, chaosMs, options),
  );
  const isFarOff = clients.some(({ wallOffsetMs }) => Math.abs(wallOffsetMs) > MAX_OFFSET_MS);
  const agrees = isFarOff && GOES_BY_NODES.includes(profile);
  const nodes = anyNodes.map((node) =>
    agrees ? { ...node, wallOffsetMs: node.wallOffsetMs % AGREED_MS } : node,
  );
  const base = { nodeCount, clientCount, chaosMs, options };
  const sessions = generateWorkload(random, profile, base);
  // A random stream of its own: whether there is a crowd changes nothing else.
  const crowd = generateCrowd(seededRandom(hashText(seed, `crowd ${profile}`)), sessions);
  const inOrder = [...sessions, ...crowd].toSorted((a, b) => a.atMs - b.atMs);
  const ofKind = withKind(seed, profile, inOrder, { clientCount, chaosMs, layout: options.layout });
  const workload = withRequests(seededRandom(hashText(seed, `requests ${profile}`)), ofKind);
  const scenario: Scenario = {
    seed,
    profile,
    nodeCount,
    options,
    network: generateNetwork(random, profile),
    nodes,
    clients,
    workload,
    faults: generateFaults(random, profile, { ...base, nodes, workload }),
    chaosMs,
    ending: random.chance(50) ? "all" : "core",
    core: shuffled(random, nodeCount).slice(0, Math.floor(nodeCount / 2) + 1),
    distancesUs: random.chance(25) ? generateDistances(random, base) : undefined,
  };
  if (lists !== undefined) return withChanges(scenario, lists);
  if (profile === "healthy") return { ...scenario, ending: "all" };
  if (profile === "steps") return withSteps(scenario);
  if (profile === "extensions") return withForgeries(withExtensions(scenario));
  if (profile === "mixed") return withForgeries(withMixture(scenario));
  if (profile === "requests") return withRequestOptions(scenario);
  const made = profile === "delays" ? withDelays(scenario) : withForeign(withDropIn(scenario));
  const shown = withObservers(withQueueEnds(withLiar(withLooks(made))));
  if (profile === "steal") return withRelays(withForgeries(shown));
  return profile === "force" ? withForgeries(shown) : shown;
}

/** The key layout, for profiles that cover more than one. */
function generateLayout(seed: number, profile: Profile): Pick<LockSettings, "layout"> {
  const random = seededRandom(hashText(seed, "layout"));
  if (profile === "owners") return random.chance(40) ? { layout: "redisson" } : {};
  if (profile !== "force" || random.chance(60)) return {};
  return { layout: random.oneOf(["timestamp", "timestamp-seconds", "redisson"] as const) };
}

/** Where clocks might be stepped, keys outlive their locks, and a caller that asks again uses its own clock. */
function generateMargin(random: Random): Pick<LockSettings, "clockStepMs"> {
  return random.chance(35) ? { clockStepMs: random.oneOf([200, 1_000, 5_000]) } : {};
}

/** With room for only a few attempts, those of a process have to wait for each other. */
function generateWindow(random: Random): Pick<LockSettings, "window"> {
  return random.chance(25) ? { window: random.between(1, 3) } : {};
}

function generateOptions(random: Random, profile: Profile): LockSettings {
  const ttlMs = random.oneOf(TTLS_OF_PROFILE[profile] ?? TTLS_MS);
  const nodeTimeoutMs = Math.min(random.oneOf([50, 100, 250]), ttlMs / 2);
  const maxTtlMs = ttlMs * random.oneOf([1, 1, 2]);
  return {
    ttlMs,
    maxTtlMs,
    nodeTimeoutMs,
    driftFactor: 0.01,
    maxHoldMs: random.chance(10) ? random.between(500, 3_000) : null,
    renew: random.chance(profile === "skew" ? 30 : 70),
    quarantine: profile !== "amnesia-without-quarantine",
    bootstrap: random.chance(90),
    fenceBuckets: fenceBuckets(random.below(100)),
    minDelayMs: 10,
    maxDelayMs: random.oneOf([100, 250, 250]),
    checkToWriteMs: profile === "pause-after-check" ? random.between(100, ttlMs + 500) : 0,
  };
}

/** One fence for all names, two, or as many as a node has. */
function fenceBuckets(percent: number): number {
  if (percent < 15) return 1;
  return percent < 30 ? 2 : FENCE_BUCKETS;
}

function generateNode(random: Random, profile: Profile, { maxTtlMs }: LockSettings): NodeSettings {
  // Nodes clamp proposals to a range around their clocks; the clocks must differ by less than its width.
  const spreadMs = Math.floor(maxTtlMs / 10);
  return {
    wallOffsetMs: random.between(-spreadMs, spreadMs),
    ratePpm: ratePpm(random, profile),
    isDurable: random.chance(25),
  };
}

/**
 * Elsewhere a client's wall clock may be off by any amount: it only makes proposals, which the nodes clamp. But it also
 * decides who came first, unless the nodes' clocks agree, and where a counter that was lost begins if nobody tells the
 * node the others' fences.
 */
const NEEDS_WALL_CLOCKS: readonly Profile[] = [
  "nodes",
  "extensions",
  "mixed",
  "healthy",
  "amnesia-without-quarantine",
];

/** There a client that is far off goes by the clocks of the nodes, which agree. */
const GOES_BY_NODES: readonly Profile[] = ["shared", "several", "waiting", "requests", "splits"];

/** How far a client's clock is off that is not far off, ms. */
const MAX_OFFSET_MS = 50;

/** How far the clocks of nodes that agree may be off, ms: well below what clients take for agreement. */
const AGREED_MS = 300;

function generateClient(
  random: Random,
  profile: Profile,
  index: number,
  chaosMs: number,
  { ttlMs, maxTtlMs, nodeTimeoutMs }: LockSettings,
): ClientSettings {
  const rate = ratePpm(random, profile);
  const isLate = index > 0 && random.chance(25);
  const isFarOff = random.chance(20) && !NEEDS_WALL_CLOCKS.includes(profile);
  return {
    wallOffsetMs: isFarOff
      ? random.between(-500_000, 500_000)
      : random.between(-MAX_OFFSET_MS, MAX_OFFSET_MS),
    steadyPpm: rate,
    wallPpm: random.chance(80) ? rate : ratePpm(random, profile),
    startMs: isLate ? random.below(chaosMs) : random.below(50),
    ...(random.chance(20) && {
      options: { ttlMs: random.oneOf([Math.max(ttlMs / 2, 2 * nodeTimeoutMs), maxTtlMs]) },
    }),
  };
}

/** Half of the clocks run exactly at the bound, where the drift allowance is used up. */
function ratePpm(random: Random, profile: Profile): number {
  if (profile === "wildskew") return random.oneOf([-150_000, -50_000, 0, 50_000, 150_000]);
  const isAtBounds = profile === "skew" || profile === "swarm" || profile === "delays";
  if (!isAtBounds) return random.between(-100, 100);
  return random.chance(50)
    ? random.oneOf([-RATE_BOUND_PPM, RATE_BOUND_PPM])
    : random.between(-RATE_BOUND_PPM, RATE_BOUND_PPM);
}

function generateWorkload(
  random: Random,
  profile: Profile,
  { clientCount, chaosMs, options }: Pick<Shape, "clientCount" | "chaosMs" | "options">,
): Session[] {
  const names = random.chance(70) ? ["a"] : ["a", "b"];
  const count = random.between(6, 14);
  const sessions = Array.from({ length: count }, (): Session => {
    const isTry = random.chance(20);
    return {
      atMs: random.below(chaosMs),
      client: random.below(clientCount),
      name: random.oneOf(names),
      waitMs: isTry ? 0 : random.between(100, 3_000),
      holdMs: random.chance(70) ? random.between(1, 300) : random.between(1, 2 * options.ttlMs),
      writeCount: random.below(4),
      extendCount: random.chance(20) ? random.between(1, 2) : 0,
      abortAfterMs: random.chance(10) ? random.between(1, 500) : undefined,
      release: random.chance(profile === "skew" ? 60 : 85)
        ? "once"
        : random.oneOf(["twice", "late", "atEnd"] as const),
      ...(profile === "election" && random.chance(75) && { termCount: random.between(1, 5) }),
    };
  });
  // A client that wants both names at once asks for them in the same batches.
  const twins = names.length === 1 ? [] : sessions.filter(() => random.chance(40));
  const both = twins.map((session) => ({ ...session, name: session.name === "a" ? "b" : "a" }));
  return [...sessions, ...both].toSorted((a, b) => a.atMs - b.atMs);
}

/** Sometimes many callers in one client want the same lock: it is passed on within the process. */
function generateCrowd(random: Random, sessions: readonly Session[]): Session[] {
  if (!random.chance(40)) return [];
  const leader = random.oneOf(sessions);
  return Array.from({ length: random.between(2, 8) }, () => ({
    ...leader,
    atMs: leader.atMs + random.below(30),
    waitMs: random.between(500, 3_000),
    holdMs: random.between(1, 60),
    extendCount: 0,
    abortAfterMs: random.chance(10) ? random.between(1, 200) : undefined,
    release: random.chance(90) ? ("once" as const) : ("twice" as const),
  }));
}

/** Some do their work in the callback of a request. */
function withRequests(random: Random, sessions: readonly Session[]): Session[] {
  return sessions.map((session) => {
    const { adopters, termCount, isForce } = session;
    const isOther = adopters !== undefined || termCount !== undefined || isForce === true;
    return !isOther && random.chance(35) ? { ...session, isRequest: true } : session;
  });
}
