import { ExecutionError, NO_QUORUM } from "./errors.js";
import type { Runtime } from "../quorum.js";
import type { Settings } from "./settings.js";
import type { ExecutionResult, ExecutionStats } from "./execution.js";

/** How one attempt ended. */
export type Tried<T> =
  | { readonly kind: "done"; readonly value: T }
  /** Where something has to be undone, it is waited for before anybody is told of the last failure. */
  | { readonly kind: "again"; readonly untilUndone?: () => Promise<void> }
  /** Further attempts cannot end otherwise. */
  | { readonly kind: "hopeless" };

export interface Trial<T> {
  readonly stats: Promise<ExecutionStats>;
  readonly tried: Promise<Tried<T>>;
}

export interface Done<T> extends ExecutionResult {
  readonly value: T;
}

/** Of an operation that is tried for ever, the latest so many attempts are told. */
const MAX_TOLD = 1_000;

/**
 * Tries as often, and with such pauses, as the settings say.
 *
 * @throws ExecutionError with the attempts, if none of them was successful
 */
export async function persist<T>(
  settings: Settings,
  { clock, entropy }: Runtime,
  attempt: () => Trial<T>,
): Promise<Done<T>> {
  const { retryCount, retryDelay, retryJitter } = settings;
  const attempts: Promise<ExecutionStats>[] = [];
  for (let leftCount = retryCount === -1 ? Number.POSITIVE_INFINITY : retryCount; ; leftCount--) {
    const { stats, tried } = attempt();
    attempts.push(stats);
    if (attempts.length > MAX_TOLD) void attempts.shift();
    const outcome = await tried;
    if (outcome.kind === "done") return { value: outcome.value, attempts };
    if (outcome.kind === "hopeless") throw new ExecutionError(NO_QUORUM, attempts);
    if (leftCount < 1) {
      await outcome.untilUndone?.();
      throw new ExecutionError(NO_QUORUM, attempts);
    }
    const delayMs = retryDelay + Math.floor((entropy.unit() * 2 - 1) * retryJitter);
    await new Promise<void>((resolve) => void clock.setTimer(Math.max(0, delayMs), resolve));
  }
}
