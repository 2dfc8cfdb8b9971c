import type { RedisClient, RedisLike } from "../../redis/client-types.js";

/** What users of redlock match on; the texts are part of its interface. */
export const NO_QUORUM = "The operation was unable to achieve a quorum during its retry window.";
export const ALREADY_EXPIRED = "Cannot extend an already-expired lock.";

/** The clients, by the types of our own ioredis. Those of another are found in it, too. */
export interface ClientSet extends Set<RedisClient> {
  has(client: RedisClient | RedisLike): boolean;
}

/** The same with an error for each. */
export interface ClientErrors extends Map<RedisClient, Error> {
  has(client: RedisClient | RedisLike): boolean;
  get(client: RedisClient | RedisLike): Error | undefined;
}

/** How the nodes voted in one attempt. */
export interface ExecutionStats {
  readonly membershipSize: number;
  readonly quorumSize: number;
  readonly votesFor: ClientSet;
  readonly votesAgainst: ClientErrors;
}

/** What a successful operation resolves to. */
export interface ExecutionResult {
  readonly attempts: readonly Promise<ExecutionStats>[];
}

/** One node's part in an operation, as redlock tells it. */
export type ClientExecutionResult =
  | { readonly client: RedisClient; readonly vote: "for"; readonly value: number }
  | { readonly client: RedisClient; readonly vote: "against"; readonly error: Error };

/** Of the routine of `using`: aborted when the lock is lost; `error` says why. */
export type RedlockAbortSignal = AbortSignal & { error?: Error };

/** A node's vote against: it has another lock, or no longer has ours. */
export class ResourceLockedError extends Error {
  override readonly name = "ResourceLockedError";
}

/** An operation that found no quorum, with what each node said in each attempt. */
export class ExecutionError extends Error {
  override readonly name = "ExecutionError";
  readonly attempts: readonly Promise<ExecutionStats>[];

  constructor(message: string, attempts: readonly Promise<ExecutionStats>[]) {
    super(message);
    this.attempts = attempts;
  }
}
