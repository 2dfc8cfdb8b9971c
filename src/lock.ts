import { inspect } from "node:util";
import { LockLostError, QuorumUnreachableError, nodeVotes } from "./errors.js";
import type { HeldLease } from "./coordinator/held-lease.js";
import type { LockMode } from "./options.js";
import { isShared } from "./protocol/layout.js";
import { ownerOf } from "./protocol/owned.js";
import { slotsOf } from "./protocol/slots.js";
import type { ReleaseResult } from "./coordinator/release.js";
import { checkGivable, type GivenLock } from "./inspect/given-lock.js";

/** A lock as it is described inside of what is stringified. */
export interface LockDescription {
  readonly name: string;
  readonly mode: LockMode;
  readonly fencingToken: number | null;
  readonly isHeld: boolean;
}

/**
 * A lock that was granted. It is a lease: it is held only as long as its validity lasts, so ask
 * {@link Lock.assertHeld} before a critical write, listen to {@link Lock.signal}, and hand
 * {@link Lock.fencingToken} to the store that is protected.
 */
export class Lock implements AsyncDisposable {
  readonly #holding: HeldLease;
  readonly #nodeNames: readonly string[];
  #controller: AbortController | undefined;

  /** @internal */
  constructor(holding: HeldLease, nodeNames: readonly string[]) {
    this.#holding = holding;
    this.#nodeNames = nodeNames;
    holding.onLost = (reason) => {
      this.#controller?.abort(new LockLostError(this.name, reason));
    };
  }

  /** For people: of several names all of them, in their sorted order, with ", " between. */
  get name(): string {
    return this.#holding.keys.name;
  }

  /** What is locked: one name, or several, each once and in their sorted order. */
  get names(): readonly string[] {
    const { names, name } = this.#holding.keys;
    return names ?? [name];
  }

  /** Whether others may hold the name at the same time. */
  get mode(): LockMode {
    return isShared(this.#holding.keys) ? "shared" : "exclusive";
  }

  /** In whose name it is held, if that was said. */
  get owner(): string | undefined {
    return ownerOf(this.#holding.keys);
  }

  /** Which permit of a semaphore it is, from 0; undefined for any other lock. Nobody else has it. */
  get permit(): number | undefined {
    return slotsOf(this.#holding.keys)?.slot;
  }

  /** The random value in the lock key, fresh for every grant. A secret: who has it can release. */
  get ownerId(): string {
    return this.#holding.ownerId;
  }

  /**
   * A safe integer that grows with every grant of this name. A store that rejects smaller ones
   * than it has seen is safe even from a holder that was paused past its lease.
   * Undefined with `fencing: false`.
   */
  get fencingToken(): number | undefined {
    return this.#holding.fencingToken;
  }

  /** What is left of the validity, ms; 0 once the lock is lost or released. */
  get remainingMs(): number {
    return this.#holding.remainingMs;
  }

  /**
   * When the validity ends, by the wall clock of this machine: for logs and for deadlines given to
   * others. Decide by {@link Lock.remainingMs}, which does not follow a clock that is set.
   */
  get validUntil(): Date {
    return new Date(Date.now() + this.remainingMs);
  }

  /**
   * Aborted, with a {@link LockLostError} as its reason, when the lock is lost: at the end of its
   * validity at the latest, whatever the network does. Not aborted by a release.
   */
  get signal(): AbortSignal {
    // Finds out about a loss, by the clock, before the signal is handed out.
    this.#holding.isHeld();
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const { lossReason } = this.#holding;
      if (lossReason !== undefined && !this.#controller.signal.aborted) {
        this.#controller.abort(new LockLostError(this.name, lossReason));
      }
    }
    return this.#controller.signal;
  }

  /** Whether the lock is held at this moment, by the clock. */
  get isHeld(): boolean {
    return this.#holding.isHeld();
  }

  /**
   * The check before a critical write: synchronous, by the clock, right also just after a stall of
   * the event loop.
   * @throws LockLostError if the lock was lost or released.
   */
  assertHeld(): void {
    if (!this.#holding.isHeld()) throw this.#lostError();
  }

  /**
   * Extends the lease by a full ttl from now, once. Not needed while `renew` is on.
   * @throws LockLostError if the lock is lost or released; QuorumUnreachableError if too few nodes
   *   answered: the lock is then still held for {@link Lock.remainingMs}, and it may be tried again.
   */
  async extend(): Promise<void> {
    const result = await this.#holding.extend();
    if (result.kind === "lost") throw this.#lostError();
    if (result.kind === "failed") {
      throw new QuorumUnreachableError(this.name, nodeVotes(this.#nodeNames, result.votes));
    }
    // The continuation may run late: what was extended can be over by now.
    this.assertHeld();
  }

  /**
   * Gives the lock up on all nodes, those that are down included: they get the release when they
   * are back. Safe to call twice, late, or after a loss. Never rejects, and waits for a quorum only.
   *
   * @returns `released`: a quorum of nodes deleted our key. `expired`: the lock had been lost or
   *   had run out before. `partial`: too few nodes answered to tell; the keys end with their ttl.
   *   Of several handles on one lock (see {@link AcquireOptions.reentrant}) only the last release does
   *   so; the others are `released` (or `expired`) at once.
   *   `handedOver`: it was another process's to release, see {@link Lock.toJSON}.
   */
  release(): Promise<ReleaseResult> {
    return this.#holding.release();
  }

  /** Releases, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /**
   * Hands the lock over to another process, which goes on with it by {@link LockManager.adopt}.
   *
   * **Belief ends here**, before this returns: `isHeld` is false, renewals stop, nothing is released.
   * The keys stand on the nodes until they are adopted, or one ttl has gone by. What comes back holds
   * the secret of the lock.
   *
   * `JSON.stringify(lock)` does the same, since it calls this: never log a lock by it. (A lock somewhere
   * inside of what is stringified is only described, and stays held, and so is one that is over;
   * `util.inspect` and `console.log` describe it too.)
   *
   * @param key given by `JSON.stringify` only: under which property it found the lock
   * @throws LockLostError if the lock is not held; RangeError for any but a plain lock of one
   *   name that nobody has joined, which stays held
   */
  toJSON(): GivenLock;
  toJSON(key: string): GivenLock | LockDescription;
  toJSON(key?: string): GivenLock | LockDescription {
    const { name, mode, fencingToken, isHeld } = this;
    const isDescribed = key !== undefined && (key !== "" || !isHeld);
    if (isDescribed) return { name, mode, fencingToken: fencingToken ?? null, isHeld };
    this.assertHeld();
    const { keys, ownerId, settings } = this.#holding;
    checkGivable(keys);
    this.#holding.give();
    return {
      kind: "quorate-lock",
      version: 1,
      name,
      lockKey: keys.lockKey,
      mode: "exclusive",
      ownerId,
      fencingToken: fencingToken ?? null,
      ttlMs: settings.ttlMs,
    };
  }

  /** Without the ownerId, which is nobody's business. */
  [inspect.custom](): string {
    const { name, fencingToken } = this;
    const state = this.#holding.isHeld()
      ? `${Math.ceil(this.remainingMs)} ms left`
      : this.#endState;
    return `Lock ${JSON.stringify(name)} (token ${fencingToken ?? "none"}, ${state})`;
  }

  get #endState(): "lost" | "released" | "handed over" {
    const { state, isGiven } = this.#holding;
    if (isGiven) return "handed over";
    return state === "lost" ? "lost" : "released";
  }

  #lostError(): LockLostError {
    const { isGiven, lossReason = "released" } = this.#holding;
    const reason = isGiven ? "handedOver" : lossReason;
    return new LockLostError(this.name, reason);
  }
}
