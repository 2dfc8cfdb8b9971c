import type { Clock, Timer } from "../../coordinator/ports.js";
import type { Vote } from "../../protocol/operation.js";
import { quorumSize } from "../../protocol/verdict.js";
import type { RedisClient } from "../../redis/client-types.js";
import { ResourceLockedError } from "./errors.js";
import type { ExecutionStats } from "./execution.js";

/** One node's votes on all resources of an attempt. */
interface Ballot {
  /** Number of resources. */
  grantedCount: number;
  votedCount: number;
  isRefused: boolean;
  fault: string | undefined;
  isCounted: boolean;
}

/**
 * Collects the votes of one attempt. A node is for it if it is for each of its resources.
 *
 * The promise settles when all votes have arrived, at the latest at the deadline: a node that has not answered by
 * then counts as a vote against.
 */
export class Stats {
  readonly promise: Promise<ExecutionStats>;
  /** The nodes' display names. */
  names: readonly string[] = [];
  readonly #clients: readonly RedisClient[];
  readonly #resourceCount: number;
  readonly #onError: (error: Error) => void;
  readonly #ballots: readonly Ballot[];
  readonly #stats: ExecutionStats;
  /** By index of the node: why it is in quarantine. */
  readonly #quarantined = new Map<number, string>();
  #settle: (stats: ExecutionStats) => void = () => {};
  #askedCount = 0;
  #hasEnded = false;
  #timer: Timer | undefined;

  /** @param onError called with each vote against */
  constructor(
    clients: readonly RedisClient[],
    resourceCount: number,
    onError: (error: Error) => void,
  ) {
    this.#clients = clients;
    this.#resourceCount = resourceCount;
    this.#onError = onError;
    this.#ballots = clients.map(() => ({
      grantedCount: 0,
      votedCount: 0,
      isRefused: false,
      fault: undefined,
      isCounted: false,
    }));
    this.#stats = {
      membershipSize: clients.length,
      quorumSize: quorumSize(clients.length),
      votesFor: new Set(),
      votesAgainst: new Map(),
    };
    this.promise = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** If so many nodes are in quarantine that the others are no quorum: why, in words. */
  get quarantineText(): string | undefined {
    const { membershipSize, quorumSize: needed } = this.#stats;
    if (membershipSize - this.#quarantined.size >= needed) return undefined;
    return [...this.#quarantined.values()][0];
  }

  /** All nodes are about to be asked again. */
  ask(): void {
    this.#askedCount++;
  }

  /** @param count number of resources that the vote concerns */
  onVote(index: number, vote: Vote, count = 1): void {
    const ballot = this.#ballots[index];
    if (ballot === undefined || ballot.isCounted) return;
    ballot.votedCount++;
    if (vote.kind === "granted") ballot.grantedCount += count;
    else if (vote.kind === "refused") ballot.isRefused = true;
    else {
      ballot.fault ??= `${this.names[index]}: ${vote.message}`;
      if (vote.fault === "quarantined") this.#quarantined.set(index, ballot.fault);
    }
    this.#count(index, ballot);
  }

  /** Nothing more will be asked; nodes that do not answer by the deadline count as votes against. */
  end(clock: Clock, timeoutMs: number): void {
    this.#hasEnded = true;
    this.#ballots.forEach((ballot, index) => this.#count(index, ballot));
    if (this.#isComplete) return;
    this.#timer = clock.setTimer(timeoutMs, () => {
      this.#ballots.forEach((ballot, index) => {
        if (ballot.isCounted) return;
        ballot.fault ??= `${this.names[index]}: no answer within ${timeoutMs} ms`;
        ballot.votedCount = this.#askedCount;
        this.#count(index, ballot);
      });
    });
  }

  /** No node was asked, for a reason that applies to all of them. */
  endUnasked(message: string): void {
    this.#hasEnded = true;
    this.#ballots.forEach((ballot, index) => {
      ballot.fault = message;
      this.#count(index, ballot);
    });
  }

  get #isComplete(): boolean {
    return this.#ballots.every(({ isCounted }) => isCounted);
  }

  #count(index: number, ballot: Ballot): void {
    const client = this.#clients[index];
    if (client === undefined || ballot.isCounted) return;
    if (!this.#hasEnded || ballot.votedCount < this.#askedCount) return;
    ballot.isCounted = true;
    const error = this.#errorOf(ballot);
    if (error === undefined) this.#stats.votesFor.add(client);
    else {
      this.#stats.votesAgainst.set(client, error);
      // Deferred: a listener that throws must not interrupt the current operation.
      queueMicrotask(() => this.#onError(error));
    }
    if (!this.#isComplete) return;
    this.#timer?.cancel();
    this.#settle(this.#stats);
  }

  #errorOf({ fault, isRefused, grantedCount }: Ballot): Error | undefined {
    if (fault !== undefined) return new Error(fault);
    if (!isRefused) return undefined;
    return new ResourceLockedError(
      `The operation was applied to: ${grantedCount} of the ${this.#resourceCount} requested resources.`,
    );
  }
}
