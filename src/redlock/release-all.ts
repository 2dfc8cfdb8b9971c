import type { Context } from "../coordinator/context.js";
import type { LeaseSettings } from "../coordinator/lease-settings.js";
import { ALL_NODES } from "../coordinator/node-sets.js";
import { release } from "../coordinator/release.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { quorumSize } from "../protocol/verdict.js";
import type { Stats } from "./stats.js";
import { tapped } from "./tap.js";

/**
 * `lost`: the lock had ended before, on so many nodes that no quorum of the others is left.
 * `unknown`: too few nodes answered; the others get the release when they are back.
 */
export type Released = "released" | "lost" | "unknown";

/**
 * The release of several names, over all of its attempts: a node that deleted our key at the first
 * says at the second that it has none, and has released it all the same.
 */
export class Release {
  readonly #keys: readonly LockKind[];
  readonly #value: string;
  readonly #settings: LeaseSettings;
  #isFirst = true;
  /** By name: the nodes that deleted our key, and those that had none of ours. */
  readonly #votes: readonly { readonly granted: Set<number>; readonly refused: Set<number> }[];

  /** @param settings whose ttl is the longest that a key of the lock can live */
  constructor(keys: readonly LockKind[], value: string, settings: LeaseSettings) {
    this.#keys = keys;
    this.#value = value;
    this.#settings = settings;
    this.#votes = keys.map(() => ({ granted: new Set(), refused: new Set() }));
  }

  async attempt(context: Context, stats: Stats): Promise<Released> {
    const { clock, nodes } = context;
    const settings = this.#settings;
    // A node that is down is owed one release, however often it is asked. The lock may have come from elsewhere:
    // any of them may have its keys.
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
      return release(
        { ...context, nodes: heard },
        {
          keys,
          ownerId: this.#value,
          settings,
          token: undefined,
          mayHold,
          waiter: undefined,
        },
      );
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
