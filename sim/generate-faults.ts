import type { Profile } from "./profiles.js";
import type { Random } from "./random.js";
import type { Fault, LockSettings, NodeSettings, Session } from "./scenario.js";

/** The run for which faults are generated. */
export interface Shape {
  readonly nodeCount: number;
  readonly clientCount: number;
  readonly chaosMs: number;
  readonly options: LockSettings;
  readonly nodes: readonly NodeSettings[];
  readonly workload: readonly Session[];
}

type MakeFault = (random: Random, shape: Shape) => Fault | undefined;

const BESIDE_OTHERS: readonly [MakeFault, number][] = [
  [partition, 2],
  [hold, 1],
  [reset, 2],
  [restart, 2],
  [freeze, 2],
  [kill, 2],
  [pause, 2],
  [suspend, 1],
  [nodeErrors, 1],
  [scriptFlush, 1],
];

/** For names with contention. The order matters: the random draws depend on it. */
const CONTENDED_BUT_ERRORS: readonly [MakeFault, number][] = [
  [partition, 2],
  [hold, 1],
  [reset, 2],
  [crash, 2],
  [freeze, 2],
  [forget, 1],
  [kill, 2],
  [pause, 2],
];

const ERRORS: readonly [MakeFault, number][] = [
  [nodeErrors, 1],
  [scriptFlush, 1],
];

/** No jumps of wall clocks: they decide whether a reader or a writer came first. */
const CONTENDED = [...CONTENDED_BUT_ERRORS, ...ERRORS];

/** The same, and machines that are suspended. */
const WITH_SUSPENDS: readonly [MakeFault, number][] = [
  ...CONTENDED_BUT_ERRORS,
  [suspend, 1],
  ...ERRORS,
];

/** The maximum number of faults of each kind in a run of a profile. */
const MENUS: Readonly<Record<Profile, readonly [MakeFault, number][]>> = {
  calm: [],
  healthy: [],
  network: [
    [partition, 3],
    [hold, 2],
    [reset, 4],
  ],
  datagram: [
    [partition, 3],
    [reset, 2],
  ],
  skew: [[partition, 1]],
  crash: [
    [crash, 4],
    [freeze, 2],
    [forget, 1],
    [kill, 1],
    [nodeErrors, 2],
    [scriptFlush, 2],
  ],
  pause: [
    [pause, 4],
    [freeze, 1],
    [kill, 1],
  ],
  suspend: [
    [suspend, 2],
    [wallJumpForward, 1],
  ],
  swarm: [
    [partition, 2],
    [hold, 2],
    [reset, 2],
    [crash, 2],
    [freeze, 2],
    [forget, 1],
    [kill, 1],
    [pause, 2],
    [suspend, 1],
    [wallJumpForward, 1],
    [nodeErrors, 1],
    [scriptFlush, 1],
  ],
  election: [
    [partition, 2],
    [hold, 1],
    [reset, 2],
    [crash, 1],
    [freeze, 3],
    [kill, 1],
    [pause, 2],
    [suspend, 1],
  ],
  shared: CONTENDED,
  owners: CONTENDED,
  bursts: CONTENDED,
  splits: [
    [partition, 1],
    [hold, 1],
    [freeze, 1],
    [pause, 1],
  ],
  waiting: [
    ...CONTENDED,
    [lasting(partition), 3],
    [lasting(hold), 1],
    [lasting(freeze), 1],
    [lasting(pause), 2],
    [lasting(kill), 1],
  ],
  adoption: [
    [partition, 2],
    [hold, 1],
    [reset, 2],
    [crash, 2],
    [freeze, 1],
    [kill, 1],
    [pause, 2],
    [suspend, 1],
    [nodeErrors, 1],
  ],
  // Faults that can delay a heal.
  force: [
    [partition, 2],
    [hold, 4],
    [reset, 1],
    [freeze, 2],
    [forget, 1],
    [pause, 1],
  ],
  // Beside other lock code, which has no quarantine, nodes that forget are outside of the model.
  timestamp: BESIDE_OTHERS,
  redisson: BESIDE_OTHERS,
  "redlock-beside": BESIDE_OTHERS,
  "drop-in": [...WITH_SUSPENDS, [wallJumpForward, 1]],
  several: WITH_SUSPENDS,
  requests: WITH_SUSPENDS,
  mixed: WITH_SUSPENDS,
  semaphore: WITH_SUSPENDS,
  steal: [
    [partition, 2],
    [hold, 1],
    [reset, 2],
    [crash, 2],
    [freeze, 2],
    [kill, 1],
    [pause, 2],
    [nodeErrors, 1],
    [scriptFlush, 1],
  ],
  delays: [
    [partition, 2],
    [hold, 1],
    [reset, 1],
    [crash, 2],
    [freeze, 1],
    [kill, 2],
    [pause, 3],
    [suspend, 1],
    [wallJumpForward, 1],
    [nodeErrors, 1],
    [scriptFlush, 1],
  ],
  // Connections that end and begin again, with what they left behind.
  proxy: [
    [mixup, 8],
    [partition, 1],
    [reset, 1],
    [freeze, 1],
    [kill, 1],
    [pause, 1],
    [scriptFlush, 2],
  ],
  nodes: [
    [partition, 2],
    [hold, 1],
    [reset, 2],
    [crash, 2],
    [freeze, 1],
    [forget, 1],
    [kill, 2],
    [pause, 2],
    [suspend, 1],
    [nodeErrors, 1],
    [scriptFlush, 1],
  ],
  // Holders that do not run, in `withExtensions`.
  extensions: [
    [partition, 2],
    [hold, 1],
    [reset, 1],
    [crash, 2],
    [freeze, 1],
    [forget, 1],
    [nodeErrors, 1],
  ],
  // Generated in `withSteps`, where they do the most harm.
  steps: [],
  jump: [
    [nodeJump, 4],
    [wallJumpForward, 1],
    [pause, 1],
  ],
  wildskew: [
    [partition, 1],
    [pause, 1],
  ],
  "amnesia-without-quarantine": [
    [amnesia, 5],
    [forget, 2],
    [partition, 2],
  ],
  "pause-after-check": [[pause, 1]],
};

/** Generated within the model of the profile, ordered by time. */
export function generateFaults(random: Random, profile: Profile, shape: Shape): Fault[] {
  const faults: Fault[] = [];
  for (const [make, most] of MENUS[profile]) {
    const count = random.below(most + 1);
    for (let index = 0; index < count; index++) {
      const fault = make(random, shape);
      if (fault !== undefined) faults.push(fault);
    }
  }
  const ordered = faults.toSorted((a, b) => a.atMs - b.atMs);
  return profile === "amnesia-without-quarantine" ? ordered : withinModel(ordered, shape);
}

/**
 * Removes what the model excludes: all nodes forgetting within one longest lease (they could then not be told from
 * a new deployment).
 */
function withinModel(faults: readonly Fault[], { nodeCount }: Shape): Fault[] {
  const forgetful = new Set<number>();
  return faults.filter((fault) => {
    const forgets =
      fault.kind === "forget" || (fault.kind === "crash" && fault.mode !== "persisted");
    if (!forgets || forgetful.has(fault.node)) return true;
    if (forgetful.size + 1 >= nodeCount) return false;
    forgetful.add(fault.node);
    return true;
  });
}

function nodeFault(random: Random, { chaosMs, nodeCount }: Shape) {
  return { atMs: random.below(chaosMs), node: random.below(nodeCount) };
}

function clientFault(random: Random, { chaosMs, clientCount }: Shape) {
  return { atMs: random.below(chaosMs), client: random.below(clientCount) };
}

function crash(random: Random, shape: Shape): Fault {
  const mode = random.oneOf(["persisted", "persisted", "amnesia", "snapshot"] as const);
  const lostMs = random.between(1, 1_000);
  const { atMs, node } = nodeFault(random, shape);
  // Forgetting matters only while leases that the node voted for are alive.
  const forMs = random.between(1, random.chance(50) ? 100 : 2_000);
  const base = { kind: "crash", atMs, node, forMs } as const;
  if (mode !== "snapshot") return { ...base, mode };
  // A node that writes to disk before it answers does not lose a part of its data.
  return shape.nodes[node]?.isDurable === true
    ? { ...base, mode: "persisted" }
    : { ...base, mode, lostMs };
}

/** All its data is back after the restart. */
function restart(random: Random, shape: Shape): Fault {
  const forMs = random.between(1, random.chance(50) ? 100 : 2_000);
  return { kind: "crash", ...nodeFault(random, shape), mode: "persisted", forMs };
}

function amnesia(random: Random, shape: Shape): Fault {
  const forMs = random.between(1, 200);
  return { kind: "crash", ...nodeFault(random, shape), mode: "amnesia", forMs };
}

function freeze(random: Random, shape: Shape): Fault {
  return { kind: "freeze", ...nodeFault(random, shape), forMs: random.between(1, 4_000) };
}

function forget(random: Random, shape: Shape): Fault {
  return { kind: "forget", ...nodeFault(random, shape) };
}

function scriptFlush(random: Random, shape: Shape): Fault {
  return { kind: "scriptFlush", ...nodeFault(random, shape) };
}

function nodeErrors(random: Random, shape: Shape): Fault {
  const scope = random.chance(50) ? "operation" : "batch";
  const isOfName = random.chance(50);
  const { name } = random.oneOf(shape.workload);
  return {
    kind: "nodeErrors",
    ...nodeFault(random, shape),
    forMs: random.between(50, 1_000),
    perMille: random.between(50, 1_000),
    scope,
    ...(isOfName && scope === "operation" && { name }),
  };
}

function nodeJump(random: Random, shape: Shape): Fault {
  const byMs = random.between(Math.floor(shape.options.ttlMs / 2), 2 * shape.options.ttlMs);
  return { kind: "nodeJump", ...nodeFault(random, shape), byMs };
}

function partition(random: Random, shape: Shape): Fault {
  return { kind: "partition", ...linkFault(random, shape) };
}

function hold(random: Random, shape: Shape): Fault {
  return { kind: "hold", ...linkFault(random, shape) };
}

function linkFault(random: Random, shape: Shape) {
  return {
    ...clientFault(random, shape),
    node: random.below(shape.nodeCount),
    way: random.oneOf(["toNode", "toClient", "both"] as const),
    forMs: random.between(10, 3_000),
  };
}

function reset(random: Random, shape: Shape): Fault {
  return { kind: "reset", ...clientFault(random, shape), node: random.below(shape.nodeCount) };
}

function mixup(random: Random, shape: Shape): Fault {
  const how = random.oneOf(["early", "lost", "swapped", "doubled", "another's"] as const);
  return {
    kind: "mixup",
    ...clientFault(random, shape),
    node: random.below(shape.nodeCount),
    forMs: random.between(50, 2_000),
    how,
    perMille: random.between(50, 1_000),
    count: random.between(1, 3),
  };
}

function pause(random: Random, shape: Shape): Fault {
  const longestMs = random.chance(50) ? 100 : 2 * shape.options.ttlMs;
  const forMs = random.between(1, longestMs);
  return { kind: "pause", ...aroundAcquire(random, shape), forMs };
}

/** Mostly while a client waits for votes: it hurts most between the last vote and the verdict. */
function aroundAcquire(random: Random, shape: Shape) {
  const { atMs, client } = random.oneOf(shape.workload);
  if (random.chance(40)) return clientFault(random, shape);
  return { atMs: atMs + random.below(8), client };
}

function suspend(random: Random, shape: Shape): Fault {
  const forMs = random.between(5, 2 * shape.options.ttlMs);
  return { kind: "suspend", ...aroundAcquire(random, shape), forMs };
}

/** Never backwards: a backward step and a suspend within one heartbeat are outside of the model. */
function wallJumpForward(random: Random, shape: Shape): Fault {
  return { kind: "wallJump", ...clientFault(random, shape), byMs: random.between(1, 20_000) };
}

/** Longer than a place in a node's queue counts without being refreshed. */
function lasting(make: MakeFault): MakeFault {
  return (random, shape) => {
    const fault = make(random, shape);
    return fault && "forMs" in fault ? { ...fault, forMs: random.between(4_000, 9_000) } : fault;
  };
}

function kill(random: Random, shape: Shape): Fault {
  return { kind: "kill", ...clientFault(random, shape), forMs: random.between(10, 3_000) };
}
