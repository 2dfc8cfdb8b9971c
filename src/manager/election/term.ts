import { setMaxListeners } from "node:events";
import { inspect } from "node:util";
import type { ReleaseResult } from "../../coordinator/release-result.js";
import { LockLostError } from "../../api/errors.js";
import type { Term } from "../../api/election.js";
import { ownerIdOf, type LeasedLock } from "../lock.js";
import type { Leadership } from "./candidacy.js";

/** That of its lock, see {@link ownerIdOf}. */
export let ownerIdOfTerm: (term: Term) => string;

/** A term that is based on a lock. */
export class LeasedTerm implements Term, Leadership {
  static {
    ownerIdOfTerm = (term) => ownerIdOf((term as LeasedTerm).#lock);
  }

  readonly #lock: LeasedLock;
  readonly #controller = new AbortController();

  /** @internal */
  constructor(lock: LeasedLock) {
    this.#lock = lock;
    // As that of a lock.
    setMaxListeners(0, this.#controller.signal);
    const { signal } = lock;
    const onLost = (): void => this.#controller.abort(signal.reason);
    if (signal.aborted) onLost();
    else signal.addEventListener("abort", onLost, { once: true });
  }

  get name(): string {
    return this.#lock.name;
  }

  get fencingToken(): number {
    return this.#lock.fencingToken;
  }

  get remainingMs(): number {
    return this.#lock.remainingMs;
  }

  get signal(): AbortSignal {
    // Detects a loss, by the clock, before the signal is returned.
    void this.#lock.isHeld;
    return this.#controller.signal;
  }

  get isHeld(): boolean {
    return this.#lock.isHeld;
  }

  get isLost(): boolean {
    return !this.#lock.isHeld && this.#lock.signal.aborted;
  }

  assertHeld(): void {
    this.#lock.assertHeld();
  }

  async proclaim(value: string): Promise<void> {
    await this.#lock.proclaim(value);
  }

  resign(): Promise<ReleaseResult> {
    const released = this.#lock.release();
    // After the release, so that listeners find the term ended.
    this.#controller.abort(new LockLostError(this.name, "released"));
    return released;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.resign();
  }

  [inspect.custom](): string {
    return inspect(this.#lock).replace("Lock", "Term");
  }

  toString(): string {
    return inspect(this);
  }
}
