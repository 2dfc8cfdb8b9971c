import { LockManager, type LockManagerOptions } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, noLockKeys } from "./nodes.js";

/** How many nodes a test has, and how many of them, the first ones, are dead. */
export interface Place {
  readonly title: string;
  readonly nodeCount: number;
  readonly deadCount: number;
}

/** Where every kind of lock has to work. */
export const PLACES: readonly Place[] = [
  { title: "on one node", nodeCount: 1, deadCount: 0 },
  { title: "on five nodes, one of them dead", nodeCount: 5, deadCount: 1 },
];

/** Real servers for the tests of one `describe`, from its `before` on. */
export interface Quorum {
  readonly fleet: RedisFleet;
  /** The nodes that were not killed, which are a quorum at least. */
  readonly alive: RedisFleet["nodes"];
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
 * Gives the `describe` that calls it a fleet, by hooks that start it, close the managers of each
 * test and look for locks that are left, and stop it. Mocha runs hooks of one kind in the order of
 * their registration: what has to come before these is registered before the call.
 *
 * @param defaults of every manager. Default: a `waitMs` that no test should come to the end of.
 */
export function quorumAt(
  { nodeCount, deadCount }: Place,
  defaults: LockManagerOptions = { waitMs: 20_000 },
  { allUp, noneLeft = noLockKeys }: QuorumHooks = {},
): Quorum {
  let fleet: RedisFleet;
  let alive: RedisFleet["nodes"];
  const managers: LockManager[] = [];

  before(async () => {
    fleet = await RedisFleet.start({ nodes: nodeCount });
    await allUp?.(fleet);
    // All of a new deployment have to be seen once.
    await using first = new LockManager(fleet.urls);
    await allNodes(first);
    await first.request("first", () => {});
    alive = fleet.nodes.slice(deadCount);
    for (const node of fleet.nodes.slice(0, deadCount)) await node.kill();
  });
  afterEach(async () => {
    await Promise.all(managers.splice(0).map((locks) => locks.close()));
    await noneLeft(alive);
  });
  after(() => fleet.stop());

  return {
    get fleet() {
      return fleet;
    },
    get alive() {
      return alive;
    },
    manager: (options = {}) => {
      const locks = new LockManager(fleet.urls, { ...defaults, ...options });
      managers.push(locks);
      return locks;
    },
  };
}
