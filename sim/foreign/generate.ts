import { hashText, seededRandom, type Random } from "../random.js";
import type { Fault, LockSettings, NodeSettings, Scenario } from "../scenario.js";
import type { ForeignCode, ForeignSession, ForeignSettings } from "./settings.js";

/**
 * How far a wall clock that decides by itself when a lock is over may be off, ms. Any two such clocks, including
 * those of the nodes, then differ by less than the one-second margin between our locks and theirs.
 */
const LONGEST_OFFSET_MS = 495;

/** The foreign code of a profile. */
interface Beside {
  readonly nodeCounts: readonly number[];
  readonly layout?: (random: Random) => LockSettings["layout"];
  readonly codes: readonly ForeignCode[];
  /** Clocks decide when a lock is over, on both sides. */
  readonly areClocksCompared?: true;
}

const BESIDE: Readonly<Partial<Record<string, Beside>>> = {
  timestamp: {
    nodeCounts: [1, 1, 1, 1, 3, 5],
    layout: (random) => random.oneOf(["timestamp", "timestamp-seconds"] as const),
    codes: ["hand-written"],
    areClocksCompared: true,
  },
  redisson: {
    nodeCounts: [1, 1, 3, 5],
    layout: () => "redisson",
    codes: ["rlock", "rlock", "rlock", "rwlock"],
  },
  "redlock-beside": { nodeCounts: [1, 2, 3, 3, 3, 4, 5], codes: ["redlock", "token"] },
};

/** The same scenario, with foreign code beside it if the profile is about that. */
export function withForeign(scenario: Scenario): Scenario {
  const { seed, profile, options } = scenario;
  const beside = BESIDE[profile];
  if (beside === undefined) return scenario;
  const random = seededRandom(hashText(seed, `beside ${profile}`));
  const ours = withNodes(random, scenario, random.oneOf(beside.nodeCounts));
  const layout = beside.layout?.(random);
  const isTamed = beside.areClocksCompared === true;
  const count = random.between(1, 3);
  const settings = { layout, isTamed, codes: beside.codes, isCareful: random.chance(50) };
  const foreign = Array.from({ length: count }, () => generateOne(random, ours, settings));
  const faults = Array.from({ length: random.below(4) }, () => generateFault(random, ours, count));
  return {
    ...ours,
    ...(layout !== undefined && { options: { ...options, layout } }),
    nodes: isTamed ? ours.nodes.map(tamed) : ours.nodes,
    foreign,
    // A name that it holds is refused at once: nobody waits, so there is no progress to check.
    ...(foreign.some(({ code }) => code === "rwlock") && { ending: "all" as const }),
    faults: [...ours.faults, ...faults].toSorted((a, b) => a.atMs - b.atMs),
  };
}

/** The same scenario with that many nodes; faults of other nodes are moved to these. */
function withNodes(random: Random, scenario: Scenario, nodeCount: number): Scenario {
  const { nodes, faults, distancesUs } = scenario;
  const first = nodes[0] as NodeSettings;
  const quorum = Math.floor(nodeCount / 2) + 1;
  const from = random.below(nodeCount);
  return {
    ...scenario,
    nodeCount,
    nodes: Array.from({ length: nodeCount }, (_, index) => nodes[index] ?? first),
    core: Array.from({ length: quorum }, (_, index) => (from + index) % nodeCount),
    faults: faults.map((fault) =>
      "node" in fault ? { ...fault, node: fault.node % nodeCount } : fault,
    ),
    distancesUs: distancesUs?.map((way) => {
      return Array.from({ length: nodeCount }, (_, node) => way[node] ?? 0);
    }),
  };
}

function tamed(node: NodeSettings): NodeSettings {
  const { wallOffsetMs } = node;
  const least = Math.max(-LONGEST_OFFSET_MS, wallOffsetMs);
  return { ...node, wallOffsetMs: Math.min(LONGEST_OFFSET_MS, least) };
}

interface Wanted {
  readonly layout: LockSettings["layout"];
  readonly isTamed: boolean;
  readonly codes: readonly ForeignCode[];
  /** Nobody in this run takes a lock that it does not own, except in a race inherent in its recipe. */
  readonly isCareful: boolean;
}

function generateOne(
  random: Random,
  scenario: Scenario,
  { layout, isTamed, codes, isCareful }: Wanted,
): ForeignSettings {
  const { options, chaosMs } = scenario;
  const code = isCareful ? (codes[0] as ForeignCode) : random.oneOf(codes);
  const ratePpm = random.between(-100, 100);
  const inSeconds = ["seconds", "seconds", "fractions"] as const;
  const ttlMs = random.oneOf([options.ttlMs, options.maxTtlMs, Math.ceil(options.ttlMs / 2)]);
  return {
    code,
    startMs: random.below(50),
    wallOffsetMs: isTamed ? offsetMs(random) : random.between(-500_000, 500_000),
    steadyPpm: ratePpm,
    wallPpm: ratePpm,
    ttlMs,
    timeoutMs: random.oneOf([options.nodeTimeoutMs, 1_000]),
    ...(layout === "timestamp" && { stamps: "ms" as const }),
    ...(layout === "timestamp-seconds" && { stamps: random.oneOf(inSeconds) }),
    sessions: Array.from({ length: random.between(3, 8) }, () =>
      generateSession(random, scenario, { code, ttlMs, chaosMs, isCareful }),
    ),
  };
}

function generateSession(
  random: Random,
  { workload }: Scenario,
  about: Pick<ForeignSettings, "code" | "ttlMs"> & { chaosMs: number; isCareful: boolean },
): ForeignSession {
  const { code, ttlMs, chaosMs, isCareful } = about;
  const { name } = random.oneOf(workload);
  // Code that releases without checking takes another's lock if its own expired long ago.
  const release = isCareful
    ? random.oneOf(["checked", "checked", "checked", "never"] as const)
    : random.oneOf(["own", "own", "careless", "careless", "checked", "never"] as const);
  const isLong = release === "careless" && random.chance(70);
  return {
    atMs: random.below(chaosMs),
    name,
    waitMs: random.chance(30) ? 0 : random.between(100, 3_000),
    holdMs: isLong
      ? ttlMs + random.between(1, 3_000)
      : random.between(1, random.chance(60) ? 300 : 2 * ttlMs),
    renews: random.chance(60),
    enterCount: random.chance(25) ? random.between(1, 2) : 0,
    ...(code === "rwlock" && { mode: random.oneOf(["read", "write"] as const) }),
    release,
  };
}

/** Half of them at the bound, where the margin is used up. */
function offsetMs(random: Random): number {
  if (random.chance(50)) return random.oneOf([-LONGEST_OFFSET_MS, LONGEST_OFFSET_MS]);
  return random.between(-LONGEST_OFFSET_MS, LONGEST_OFFSET_MS);
}

/** A fault of a process of foreign code, or of its link to a node. */
function generateFault(random: Random, scenario: Scenario, count: number): Fault {
  const { chaosMs, nodeCount, clients, options } = scenario;
  const client = clients.length + random.below(count);
  const atMs = random.below(chaosMs);
  const forMs = random.between(1, 2 * options.ttlMs);
  const way = random.oneOf(["toNode", "toClient", "both"] as const);
  const kind = random.oneOf(["pause", "kill", "reset", "partition", "hold", "suspend"] as const);
  const node = random.below(nodeCount);
  switch (kind) {
    case "pause":
    case "suspend":
    case "kill":
      return { kind, atMs, client, forMs };
    case "reset":
      return { kind, atMs, client, node };
    case "partition":
    case "hold":
      return { kind, atMs, client, node, way, forMs };
  }
}
