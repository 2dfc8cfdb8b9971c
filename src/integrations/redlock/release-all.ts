import type { Context } from "../../coordinator/context.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { ALL_NODES } from "../../coordinator/node-sets.js";
import { release } from "../../coordinator/release.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import { quorumSize } from "../../protocol/verdict.js";
import type { Stats } from "./stats.js";
import { tapped } from "./tap.js";

/**
 * `lost`: the lock had ended before, on too many nodes to leave a quorum of the others.
 * `unknown`: too few nodes answered; the others are sent the release when they are back.
 */
export type Released = "released" | "lost" | "unknown";

/**
 * The release of several names, over all of its attempts: a node that deleted our key at the first attempt reports at
 * the second that it has none, but has released it nevertheless.
 */
export class Release {
  readonly #keys: readonly LockKind[];
  readonly #value: string;
  readonly #settings: LeaseSettings;
  #isFirst = true;
  /** By name: the nodes that deleted our key, and those that had none of ours. */
  readonly #votes: readonly { readonly granted: Set<number>; readonly refused: Set<number> }[];

  /** @param settings whose ttl is the longest possible life of a key of the lock */
  constructor(keys: readonly LockKind[], value: string, settings: LeaseSettings) {
    this.#keys = keys;
    this.#value = value;
    this.#settings = settings;
    this.#votes = keys.map(() => ({ granted: new Set(), refused: new Set() }));
  }

  async attempt(context: Context, stats: Stats): Promise<Released> {
    const { clock, nodes } = context;
    const settings = this.#settings;
    // A node that is down must receive one release, however often it is asked. The lock may have come from elsewhere:
    // any node may have its keys.
    const mayHold = this.#isFirst ? ALL_NODES : 0;
    this.#isFirst = false;
    const rounds = this.#keys.map((keys, at) => {
      stats.ask();
      const heard = tapped(nodes, "release", {
        onVote: (index, vote) => {
          stats.onVote(index, vote);
          if (vote.kind === "granted") this.#votes[at]?.granted.add(index);
          else if (vote.kind === "refused") this.#votes[at]?.refused.add(index);
        },
      });
      const released = { keys, ownerId: this.#value, settings, mayHold };
      return release({ ...context, nodes: heard }, released);
    });
    stats.end(clock, settings.nodeTimeoutMs);
    await Promise.all(rounds);
    return this.#result(nodes.length);
  }

  #result(nodeCount: number): Released {
    const quorum = quorumSize(nodeCount);
    if (this.#votes.every(({ granted }) => granted.size >= quorum)) return "released";
    const isLost = this.#votes.some(({ granted, refused }) => {
      const goneCount = [...refused].filter((index) => !granted.has(index)).length;
      return goneCount > nodeCount - quorum;
    });
    return isLost ? "lost" : "unknown";
  }
}
