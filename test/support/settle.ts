import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** A promise that was turned away, or not, and how long that took. */
export interface Settled<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly elapsedMs: number;
}

/** Waits for the promise, whatever becomes of it, and measures. */
export async function settled<T>(run: () => Promise<T>): Promise<Settled<T>> {
  const startedMs = performance.now();
  try {
    const value = await run();
    return { value, error: undefined, elapsedMs: performance.now() - startedMs };
  } catch (error) {
    return { value: undefined, error, elapsedMs: performance.now() - startedMs };
  }
}

/** What a promise rejects with, of whatever type; throws when it does not reject. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`expected a rejection, got ${String(value)}`);
}

/** The error a promise rejects with, which has to be of the class. */
export async function rejectionWith<E>(
  // Constructor arguments do not matter to `instanceof`.
  kind: abstract new (...args: never[]) => E,
  promise: Promise<unknown>,
): Promise<E> {
  const error = await rejectionOf(promise);
  if (error instanceof kind) return error;
  throw new Error(`expected ${kind.name}, got ${String(error)}`, { cause: error });
}

/**
 * Waits until all that was asked for is written, and no answer is read yet: what is deferred to the end
 * of this tick, some of it more than once, runs before the event loop goes on.
 */
export async function written(): Promise<void> {
  for (let tick = 0; tick < 20; tick++) {
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
}

/** Settles when the signal is aborted, also if it already is: an event that is over never comes again. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/**
 * Waits until the condition holds; fails, with what was waited for, after `limitMs`: by default far later than what
 * is waited for can take on a busy machine, where it takes seconds to start a process.
 */
export async function eventually(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  limitMs = 30_000,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > endMs) {
      throw new Error(`not within ${limitMs} ms: ${typeof what === "string" ? what : what()}`);
    }
    await sleep(10);
  }
}

/** Waits for a renewal: more is left of the validity than a moment before. The lock must not be lost meanwhile. */
export async function renewed(lock: {
  readonly remainingMs: number;
  assertHeld(): void;
}): Promise<void> {
  let leftMs = lock.remainingMs;
  await eventually("it was renewed", () => {
    lock.assertHeld();
    const beforeMs = leftMs;
    leftMs = lock.remainingMs;
    return leftMs > beforeMs;
  });
}
