import type { RoundWatcher, WatchedRound } from "../../coordinator/round.js";
import { silentVote, type Operation, type Votes } from "../../protocol/operation.js";
import { quorumSize, toleratedCount } from "../../protocol/quorum.js";
import type { RedisClient } from "../../redis/client-types.js";
import { ResourceLockedError, type ExecutionStats } from "./execution.js";

/** How the nodes vote in one attempt. A node is for it if it is so in all rounds: there is one for each set of names. */
export class Ballot {
  /** Resolves when all nodes have answered, at the latest at their deadline: a silent node is against it. */
  readonly stats: Promise<ExecutionStats>;
  readonly #clients: readonly RedisClient[];
  /** Undefined if the clients have been closed. */
  readonly #nodeNames: readonly string[] | undefined;
  readonly #resourceCount: number;
  readonly #onError: (error: Error) => void;
  #resolve: (stats: ExecutionStats) => void = () => {};
  /** Those that have ended, until all have. */
  #rounds: { readonly nameCount: number; readonly round: WatchedRound }[] = [];
  /** The attempt itself, and its rounds that have not ended. */
  #openCount = 1;

  /** @param onError called with each vote against */
  constructor(
    clients: readonly RedisClient[],
    nodeNames: readonly string[] | undefined,
    resourceCount: number,
    onError: (error: Error) => void,
  ) {
    this.#clients = clients;
    this.#nodeNames = nodeNames;
    this.#resourceCount = resourceCount;
    this.#onError = onError;
    this.stats = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** A round is about to be sent. */
  hear({ keys }: Operation): RoundWatcher {
    const { length: nameCount } = keys.names;
    this.#openCount++;
    return {
      onEnd: (round) => {
        this.#rounds.push({ nameCount, round });
        this.end();
      },
    };
  }

  /** The attempt is over, or one of its rounds. */
  end(): void {
    if (--this.#openCount > 0) return;
    const { length: membershipSize } = this.#clients;
    const votesFor = new Set<RedisClient>();
    const votesAgainst = new Map<RedisClient, Error>();
    this.#clients.forEach((client, index) => {
      const error = this.#errorOf(index);
      if (error === undefined) votesFor.add(client);
      else votesAgainst.set(client, error);
    });
    this.#rounds = [];
    const quorum = quorumSize(membershipSize);
    this.#resolve({ membershipSize, quorumSize: quorum, votesFor, votesAgainst });
    votesAgainst.forEach(this.#onError);
  }

  #errorOf(index: number): Error | undefined {
    if (this.#nodeNames === undefined) return new Error("Connection is closed.");
    const name = this.#nodeNames[index];
    if (this.#rounds.length === 0 && this.#resourceCount > 0) {
      return new Error(`${name}: not asked: the lock is over, or is being extended already`);
    }
    let grantedCount = 0;
    let isFor = true;
    for (const { nameCount, round } of this.#rounds) {
      const vote = round.votes[index];
      if (vote?.kind === "granted") grantedCount += nameCount;
      else if (vote?.kind === "refused") isFor = false;
      else return new Error(`${name}: ${(vote ?? silentVote(round.timeoutMs)).message}`);
    }
    if (isFor) return undefined;
    return new ResourceLockedError(
      `The operation was applied to: ${grantedCount} of the ${this.#resourceCount} requested resources.`,
    );
  }
}

/** If so many nodes are in quarantine that the others are no quorum: why, in brackets. */
export function quarantineText(nodeNames: readonly string[], votes: Votes = []): string {
  const reasons = votes.flatMap((vote, index) => {
    const isOne = vote?.kind === "fault" && vote.fault === "quarantined";
    return isOne ? `${nodeNames[index]}: ${vote.message}` : [];
  });
  return reasons.length > toleratedCount(nodeNames.length) ? ` (${reasons[0]})` : "";
}
