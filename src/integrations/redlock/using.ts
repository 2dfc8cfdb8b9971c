import type { RedlockAbortSignal } from "./execution.js";
import type { Leases } from "./leases.js";

/**
 * Runs the routine under leases that are renewed, and releases them. Rejects with the routine's error, or resolves
 * with its result unless the lock was lost.
 *
 * @param lossError says why it was lost; asked when that is known
 */
export async function runUsing<T>(
  leases: Leases,
  routine: (signal: RedlockAbortSignal) => Promise<T>,
  lossError: () => Error,
): Promise<T> {
  const controller = new AbortController();
  const isHeld = (): boolean => leases.every((lease) => lease.isHeld());
  let hasEnded = false;
  const signal: RedlockAbortSignal = askingSignal(controller.signal, () => {
    // For a routine that runs before the timer after the event loop stalled: asks the clock.
    if (!hasEnded && !isHeld()) lose();
    return signal.error !== undefined;
  });
  const lose = (): void => {
    if (hasEnded) return;
    signal.error ??= lossError();
    controller.abort();
  };
  // Also where it throws.
  const run = async (): Promise<T> => routine(signal);
  for (const lease of leases) lease.onLost = lose;
  if (!isHeld()) lose();
  const [outcome] = await Promise.allSettled([run()]);
  hasEnded = true;
  const wasHeld = signal.error === undefined && isHeld();
  const results = await Promise.all(leases.map((lease) => lease.release()));
  if (outcome.status === "rejected") throw outcome.reason;
  // Nodes that did not answer get it later: the lock was held to the end of the routine.
  if (!wasHeld || results.includes("expired")) throw signal.error ?? lossError();
  return outcome.value;
}

/** The signal, wrapped so that reading `aborted` asks. */
function askingSignal(signal: AbortSignal, isAborted: () => boolean): AbortSignal {
  const throwIfAborted = (): void => {
    if (isAborted()) throw signal.reason;
  };
  return Object.defineProperties(signal, {
    aborted: { get: isAborted },
    throwIfAborted: { value: throwIfAborted },
  });
}
