import { ExecutionError, NO_QUORUM } from "./errors.js";
import type { Runtime } from "../../nodes/open-quorum.js";
import type { Settings } from "./settings.js";
import type { ExecutionResult, ExecutionStats } from "./execution.js";

/** The outcome of one attempt. */
export type Tried<T> =
  | { readonly kind: "done"; readonly value: T }
  /** If something must be undone, the last failure is reported only after that. */
  | { readonly kind: "again"; readonly untilUndone?: () => Promise<void> }
  /** Further attempts cannot succeed. */
  | { readonly kind: "hopeless" };

export interface Trial<T> {
  readonly stats: Promise<ExecutionStats>;
  readonly tried: Promise<Tried<T>>;
  /** Why there was no quorum, where redlock knows no such reason. Asked when it has failed. */
  readonly reason?: () => string | undefined;
}

export interface Done<T> extends ExecutionResult {
  readonly value: T;
}

/** Of an operation that is retried without limit, only so many of the latest attempts are reported. */
const MAX_TOLD = 1_000;

/**
 * Retries as often, and with such pauses, as the settings say.
 *
 * @throws ExecutionError with the attempts if none of them succeeded
 */
export async function persist<T>(
  settings: Settings,
  { clock, entropy }: Runtime,
  attempt: () => Trial<T>,
): Promise<Done<T>> {
  const { retryCount, retryDelay, retryJitter } = settings;
  const attempts: Promise<ExecutionStats>[] = [];
  for (let leftCount = retryCount === -1 ? Number.POSITIVE_INFINITY : retryCount; ; leftCount--) {
    const { stats, tried, reason } = attempt();
    attempts.push(stats);
    if (attempts.length > MAX_TOLD) void attempts.shift();
    const outcome = await tried;
    if (outcome.kind === "done") return { value: outcome.value, attempts };
    if (outcome.kind === "hopeless") throw new ExecutionError(NO_QUORUM, attempts);
    if (leftCount < 1) {
      await outcome.untilUndone?.();
      const why = reason?.();
      throw new ExecutionError(why === undefined ? NO_QUORUM : `${NO_QUORUM} (${why})`, attempts);
    }
    const delayMs = retryDelay + Math.floor((entropy.unit() * 2 - 1) * retryJitter);
    await new Promise<void>((resolve) => void clock.setTimer(Math.max(0, delayMs), resolve));
  }
}
