import { setTimeout as sleep } from "node:timers/promises";

/** How and when a call ended, or that it did not end. */
export type Settled<T> =
  | { readonly kind: "resolved"; readonly value: T; readonly afterMs: number }
  | { readonly kind: "rejected"; readonly error: unknown; readonly afterMs: number }
  | { readonly kind: "pending"; readonly afterMs: number };

/** Makes the call, and waits at most `limitMs` for it. */
export function settleWithin<T>(call: () => Promise<T>, limitMs: number): Promise<Settled<T>> {
  const startMs = performance.now();
  const afterMs = (): number => performance.now() - startMs;
  const settled = call().then(
    (value): Settled<T> => ({ kind: "resolved", value, afterMs: afterMs() }),
    (error: unknown): Settled<T> => ({ kind: "rejected", error, afterMs: afterMs() }),
  );
  const limit = sleep(limitMs, undefined).then((): Settled<T> => ({
    kind: "pending",
    afterMs: limitMs,
  }));
  return Promise.race([settled, limit]);
}

/** The error's name for the table, such as `TimeoutError`. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}

/** Resolves to whether the condition became true in time; checks every few milliseconds. */
export async function waitFor(condition: () => boolean, limitMs: number): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() >= endMs) return false;
    await sleep(5);
  }
  return true;
}
