import type { RedisClient } from "../../redis/client-types.js";

/** How the nodes voted in one attempt. */
export interface ExecutionStats {
  readonly membershipSize: number;
  readonly quorumSize: number;
  readonly votesFor: Set<RedisClient>;
  readonly votesAgainst: Map<RedisClient, Error>;
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
