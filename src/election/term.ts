import { inspect } from "node:util";
import type { ReleaseResult } from "../coordinator/release.js";
import { LockLostError } from "../errors.js";
import type { Lock } from "../lock.js";
import type { Leadership } from "./candidacy.js";

/**
 * One leadership. It is a lease, like the lock that it stands on: ask {@link Term.assertHeld} before
 * a critical step, heed {@link Term.signal}, and hand {@link Term.fencingToken} to the store.
 */
export class Term implements Leadership, AsyncDisposable {
  readonly #lock: Lock;
  readonly #controller = new AbortController();

  /** @internal */
  constructor(lock: Lock) {
    this.#lock = lock;
    const { signal } = lock;
    const onLost = (): void => this.#controller.abort(signal.reason);
    if (signal.aborted) onLost();
    else signal.addEventListener("abort", onLost, { once: true });
  }

  /** What it was elected for. */
  get name(): string {
    return this.#lock.name;
  }

  /** Grows with every term of the name, whoever leads. Undefined with `fencing: false`. */
  get fencingToken(): number | undefined {
    return this.#lock.fencingToken;
  }

  /** For how long it lasts without another renewal, ms; 0 once it is over. */
  get remainingMs(): number {
    return this.#lock.remainingMs;
  }

  /**
   * Aborted when the term is over: with a {@link LockLostError} as its reason when it was lost, at
   * the end of its validity at the latest, and, unlike a lock's, also when it was resigned (reason
   * `released`), so that whatever was begun under it ends with it.
   */
  get signal(): AbortSignal {
    // Finds out about a loss, by the clock, before the signal is handed out.
    void this.#lock.isHeld;
    return this.#controller.signal;
  }

  /** Whether it lasts at this moment, by the clock. */
  get isHeld(): boolean {
    return this.#lock.isHeld;
  }

  /** Whether it ended without having been resigned. */
  get isLost(): boolean {
    return !this.#lock.isHeld && this.#lock.signal.aborted;
  }

  /**
   * The check before a critical step: synchronous, by the clock.
   * @throws LockLostError if the term is over.
   */
  assertHeld(): void {
    this.#lock.assertHeld();
  }

  /** Gives the leadership up: who waits is elected at once. As {@link Lock.release}; never rejects. */
  resign(): Promise<ReleaseResult> {
    const released = this.#lock.release();
    // Behind the release, so that whoever is told finds the term over.
    this.#controller.abort(new LockLostError(this.name, "released"));
    return released;
  }

  /** Resigns, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.resign();
  }

  [inspect.custom](): string {
    return inspect(this.#lock).replace("Lock", "Term");
  }
}
