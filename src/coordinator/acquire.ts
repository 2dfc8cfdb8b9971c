import { backoffMs } from "../protocol/backoff.js";
import type { NameKeys } from "../protocol/keys.js";
import { quorumSize } from "../protocol/verdict.js";
import { Attempt, type AttemptOutcome } from "./attempt.js";
import type { Context, LeaseSettings } from "./context.js";
import type { Timer } from "./ports.js";

export interface WaitSettings {
  /** How long to go on trying, ms; 0 for one attempt. */
  readonly waitMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

/** How an acquire ended: the last attempt's outcome, or the caller's (or the manager's) abort. */
export type AcquireOutcome =
  | (AttemptOutcome & { readonly attemptCount: number; readonly waitedMs: number })
  | { readonly kind: "aborted" };

/** An acquire under way. */
export interface Acquiring {
  readonly outcome: Promise<AcquireOutcome>;
  /** Settles the outcome as `aborted` at once; what was sent is rolled back behind it. */
  abort(): void;
}

/**
 * Attempts until one is granted, the wait is over, or it is aborted.
 *
 * The last attempt begins no later than `waitMs` after the start, so everything is settled
 * within `waitMs` and the node deadlines of one attempt (acquire and seal).
 */
export function acquire(
  context: Context,
  keys: NameKeys,
  settings: LeaseSettings,
  wait: WaitSettings,
): Acquiring {
  const { clock } = context;
  const startedMs = clock.now();
  let attemptCount = 0;
  let attempt: Attempt | undefined;
  let sleep: Timer | undefined;
  let isOver = false;
  let resolve: (outcome: AcquireOutcome) => void = () => {};
  const outcome = new Promise<AcquireOutcome>((settle) => {
    resolve = settle;
  });

  const end = (result: AcquireOutcome): void => {
    isOver = true;
    resolve(result);
  };

  const onOutcome = (result: AttemptOutcome): void => {
    const waitedMs = clock.now() - startedMs;
    const leftMs = wait.waitMs - waitedMs;
    if (result.kind === "granted" || leftMs <= 0 || isHopeless(result)) {
      end({ ...result, attemptCount, waitedMs });
      return;
    }
    const delayMs = backoffMs({
      attemptCount,
      minDelayMs: wait.minDelayMs,
      maxDelayMs: wait.maxDelayMs,
      quorumFreeInMs: result.quorumFreeInMs,
      unit: context.entropy.unit(),
    });
    sleep = clock.setTimer(Math.min(delayMs, leftMs), tryOnce);
  };

  const tryOnce = (): void => {
    if (isOver) return;
    attemptCount++;
    attempt = new Attempt(context, keys, settings, onOutcome);
  };

  tryOnce();
  return {
    outcome,
    abort: () => {
      if (isOver) return;
      sleep?.cancel();
      attempt?.abort();
      end({ kind: "aborted" });
    },
  };
}

/**
 * Waiting changes nothing where so many nodes hold somebody's data under the key, or are set up
 * wrongly, that no quorum of the others is left.
 */
function isHopeless(outcome: AttemptOutcome): boolean {
  if (outcome.kind === "granted") return false;
  const hopeless = outcome.votes.filter(
    (vote) =>
      (vote?.kind === "refused" && vote.reason === "foreign") ||
      (vote?.kind === "fault" && vote.fault === "misconfigured"),
  );
  return hopeless.length > outcome.votes.length - quorumSize(outcome.votes.length);
}
