import { withCaller } from "./caller.js";
import type { Clock, Timer } from "../coordinator/ports.js";
import { LockLostError } from "../api/errors.js";
import type { Lock } from "../api/lock.js";
import { endOf, whenLost } from "./lock.js";
import { CHANNELS } from "../telemetry/channels.js";
import { show } from "../runtime/validate.js";
import { traceRequest } from "../telemetry/request-trace.js";

/** What a request needs of its lock manager. */
export interface RequestHost {
  readonly lossGraceMs: number;
  readonly clock: Pick<Clock, "setTimer">;
  /** Hears of a callback that goes on without its lock. */
  readonly onOverrun: (message: string) => void;
}

type Settled<T> =
  | { readonly ok: true; readonly result: T }
  | { readonly ok: false; readonly error: unknown };

/**
 * Runs the callback under the lock and releases it. The outcome is the callback's result or error.
 *
 * If the lock is lost meanwhile, also where only the release finds that out, the outcome is a LockLostError that carries
 * the callback's error (`cause`) or result (`result`). A callback that ignores the signal is waited for only
 * `lossGraceMs`, so that it does not block the caller.
 */
export async function runLocked<T>(
  lock: Lock,
  callback: (lock: Lock) => T,
  { lossGraceMs, clock, onOverrun }: RequestHost,
): Promise<Awaited<T>> {
  const isHeard = CHANNELS.request.hasSubscribers;
  const settled = settle(() => (isHeard ? traceRequest(lock, callback) : callback(lock)));
  const outcome = await firstOf(settled, lock, lossGraceMs, clock);
  if (outcome === undefined) tellOverrun(lock.name, settled, lossGraceMs, onOverrun);
  // Also checks the clock: in a stalled event loop, nothing may have told of the loss yet.
  if (outcome === undefined || (!lock.isHeld && lock.signal.aborted)) {
    // Those that joined it learn of the loss as long as the callback runs.
    void settled.then(() => lock.release());
    throw withCaller(withOutcome(lock.signal.reason as LockLostError, outcome));
  }
  const lost = await endOf(lock);
  if (lost !== undefined) throw withCaller(withOutcome(lost, outcome));
  if (outcome.ok) return outcome.result;
  throw outcome.error;
}

/** The caller has its error by now; what the callback still does would go unseen. */
function tellOverrun(
  name: string,
  settled: Promise<Settled<unknown>>,
  lossGraceMs: number,
  onOverrun: RequestHost["onOverrun"],
): void {
  onOverrun(
    `the callback of request("${name}") goes on ${lossGraceMs} ms (lossGraceMs) after its lock was lost, while others ` +
      "may hold it: end it when lock.signal aborts",
  );
  void settled.then((outcome) => {
    if (outcome.ok) return;
    onOverrun(
      `the callback of request("${name}") failed after the request had been rejected: ${show(outcome.error)}`,
    );
  });
}

async function settle<T>(run: () => T): Promise<Settled<Awaited<T>>> {
  try {
    return { ok: true, result: await run() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** The outcome of the callback, or undefined if it did not end within the grace period after a loss. */
async function firstOf<T>(
  settled: Promise<Settled<T>>,
  lock: Lock,
  lossGraceMs: number,
  clock: RequestHost["clock"],
): Promise<Settled<T> | undefined> {
  let timer: Timer | undefined;
  const graceOver = new Promise<undefined>((resolve) => {
    const onLost = (): void => {
      timer = clock.setTimer(lossGraceMs, () => resolve(undefined));
    };
    if (lock.isHeld) whenLost(lock, onLost);
    else if (lock.signal.aborted) onLost();
  });
  try {
    return await Promise.race([settled, graceOver]);
  } finally {
    timer?.cancel();
    whenLost(lock, undefined);
  }
}

function withOutcome(lost: LockLostError, outcome: Settled<unknown> | undefined): LockLostError {
  if (outcome === undefined) return lost;
  if (outcome.ok)
    return new LockLostError(lost.lockName, lost.reason, { result: outcome.result }, lost.detail);
  // A callback that rethrows the signal's own reason adds nothing.
  if (outcome.error === lost) return lost;
  return new LockLostError(lost.lockName, lost.reason, { cause: outcome.error }, lost.detail);
}
