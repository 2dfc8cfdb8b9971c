import { LockManager, type LockManagerOptions, type NodeConfig } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, noLockKeys, type Commanded } from "./nodes.js";
import { PATIENT } from "./patient.js";

/** How many nodes a test has, and how many of them, the first ones, are dead. */
export interface Place {
  readonly title: string;
  readonly nodeCount: number;
  readonly deadCount: number;
  /** The same code, without servers. */
  readonly isInMemory?: boolean;
}

/** Where every kind of lock has to work. */
export const PLACES: readonly Place[] = [
  { title: "on one node", nodeCount: 1, deadCount: 0 },
  { title: "on five nodes, one of them dead", nodeCount: 5, deadCount: 1 },
];

/** Where the public face has to work that needs no server. */
export const ALL_PLACES: readonly Place[] = [
  ...PLACES,
  {
    title: "on three nodes in memory, one of them dead",
    nodeCount: 3,
    deadCount: 1,
    isInMemory: true,
  },
];

/** Nodes for the tests of one `describe`, from its `before` on. */
export interface Quorum {
  /** Real servers, where they are. */
  readonly fleet: RedisFleet;
  /** The nodes that were not killed, which are a quorum at least. */
  readonly alive: readonly Commanded[];
  /** A new manager of all nodes, as good as a process of its own. It is closed after the test. */
  readonly manager: (options?: LockManagerOptions) => LockManager;
}

/** Where the hooks of {@link quorumAt} do something else. */
export interface QuorumHooks {
  /** Runs while all nodes are up. Default: nothing. */
  readonly allUp?: (fleet: RedisFleet) => Promise<void>;
  /**
   * Waits, after each test and when its managers are closed, until no lock is left. Default:
   * {@link noLockKeys}.
   */
  readonly noneLeft?: (alive: Quorum["alive"]) => Promise<void>;
}

/**
 * Gives the `describe` that calls it a quorum, by hooks that start it, close the managers of each
 * test and look for locks that are left, and stop it. Mocha runs hooks of one kind in the order of
 * their registration: what has to come before these is registered before the call.
 *
 * @param defaults of every manager. Default: a `waitMs` that no test should come to the end of.
 */
export function quorumAt(
  place: Place,
  defaults: LockManagerOptions = { waitMs: 20_000 },
  { allUp, noneLeft = noLockKeys }: QuorumHooks = {},
): Quorum {
  const { nodeCount, deadCount, isInMemory = false } = place;
  let fleet: RedisFleet | undefined;
  let configs: readonly NodeConfig[];
  let alive: readonly Commanded[];
  const managers: LockManager[] = [];

  before(async () => {
    let nodes: readonly (Commanded & { kill(): unknown })[];
    if (isInMemory) {
      const inMemory = memoryNodes(nodeCount);
      [configs, nodes] = [inMemory, inMemory.map(commanded)];
    } else {
      fleet = await RedisFleet.start({ nodes: nodeCount });
      [configs, nodes] = [fleet.urls, fleet.nodes];
      await allUp?.(fleet);
    }
    // All of a new deployment have to be seen once.
    await using first = new LockManager(configs, PATIENT);
    await allNodes(first);
    await first.request("first", () => {});
    alive = nodes.slice(deadCount);
    for (const node of nodes.slice(0, deadCount)) await node.kill();
  });
  afterEach(async () => {
    await Promise.all(managers.splice(0).map((locks) => locks.close()));
    await noneLeft(alive);
  });
  after(() => fleet?.stop());

  return {
    get fleet() {
      if (fleet === undefined) throw new Error("there are no servers here");
      return fleet;
    },
    get alive() {
      return alive;
    },
    manager: (options = {}) => {
      const locks = new LockManager(configs, { ...PATIENT, ...defaults, ...options });
      managers.push(locks);
      return locks;
    },
  };
}

/** A test of several processes: no other one has the memory of this. */
export function itOnServers({ isInMemory }: Place, title: string, test: () => Promise<void>): void {
  if (isInMemory !== true) it(title, test);
}

function commanded(node: MemoryNode): Commanded & { kill(): void } {
  return {
    url: node.name,
    command: async (...words) => {
      const isListing = words.join(" ") === "KEYS lock:*";
      return isListing
        ? node.keys().filter((key) => key.startsWith("lock:"))
        : node.command(...words);
    },
    kill: () => node.crash(),
  };
}
