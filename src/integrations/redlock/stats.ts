import type { RoundWatcher, WatchedRound } from "../../coordinator/watched-round.js";
import type { Operation, Votes } from "../../protocol/operation.js";
import { quorumSize, toleratedCount } from "../../protocol/verdict.js";
import type { RedisClient } from "../../redis/client-types.js";
import { ResourceLockedError, type ExecutionStats } from "./execution.js";

/** The rounds of one attempt: one for each set of its resources. */
export class Rounds {
  readonly #rounds: Promise<[names: readonly string[], round: WatchedRound]>[] = [];

  /** One is about to be sent. */
  begin({ keys }: Operation): RoundWatcher {
    let onEnd: RoundWatcher["onEnd"] = () => {};
    this.#rounds.push(new Promise((resolve) => (onEnd = (round) => resolve([keys.names, round]))));
    return { onEnd };
  }

  /**
   * Why a node is against the attempt, undefined if it is for all of it. Resolves when all nodes have answered, at the
   * latest at their deadline: a silent node is against it.
   */
  async judged(nodeNames: readonly string[], resources: readonly string[]): Promise<Judge> {
    const rounds = await Promise.all(this.#rounds.splice(0));
    return (index) => {
      if (rounds.length === 0 && resources.length > 0) {
        return new Error(
          `${nodeNames[index]}: not asked: the lock is over, or is being extended already`,
        );
      }
      let grantedCount = 0;
      let isFor = true;
      for (const [names, { votes, timeoutMs }] of rounds) {
        const vote = votes[index];
        if (vote?.kind === "granted") grantedCount += names.length;
        else if (vote?.kind === "refused") isFor = false;
        else {
          const why = vote?.message ?? `no answer within ${timeoutMs} ms`;
          return new Error(`${nodeNames[index]}: ${why}`);
        }
      }
      if (isFor) return undefined;
      return new ResourceLockedError(
        `The operation was applied to: ${grantedCount} of the ${new Set(resources).size} requested resources.`,
      );
    };
  }
}

/** Why the node with that index is against an attempt. */
export type Judge = (index: number) => Error | undefined;

/** The votes of all clients. */
export function statsOf(clients: readonly RedisClient[], judge: Judge): ExecutionStats {
  const votesFor = new Set(clients);
  const votesAgainst = new Map<RedisClient, Error>();
  clients.forEach((client, index) => {
    const error = judge(index);
    if (error !== undefined && votesFor.delete(client)) votesAgainst.set(client, error);
  });
  const membershipSize = clients.length;
  return { membershipSize, quorumSize: quorumSize(membershipSize), votesFor, votesAgainst };
}

/** If so many nodes are in quarantine that the others are no quorum: why, in brackets. */
export function quarantineText(nodeNames: readonly string[], votes: Votes = []): string {
  const quarantined = votes.flatMap((vote, index) =>
    vote?.kind === "fault" && vote.fault === "quarantined"
      ? `${nodeNames[index]}: ${vote.message}`
      : [],
  );
  return quarantined.length > toleratedCount(nodeNames.length) ? ` (${quarantined[0]})` : "";
}
