import type { GivenLock } from "../inspect/given-lock.js";
import type { LockMode } from "../options.js";
import type { ReleaseResult } from "../coordinator/release-result.js";

/** A `number` where fencing is on, which is the default; `undefined` with `fencing: false`. */
export type TokenOf<Fencing extends boolean> = Fencing extends true ? number : undefined;

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
 *
 * An interface, so that a test double can implement it. `Lock<false>` is a lock without fencing,
 * `Lock<boolean>` one of which that is not known.
 */
export interface Lock<Fencing extends boolean = true> extends AsyncDisposable {
  /** For people: of several names all of them, in their sorted order, with ", " between. */
  readonly name: string;

  /** What is locked: one name, or several, each once and in their sorted order. */
  readonly names: readonly string[];

  /** Whether others may hold the name at the same time. */
  readonly mode: LockMode;

  /** In whose name it is held, if that was said. */
  readonly owner: string | undefined;

  /** Which permit of a semaphore it is, from 0; undefined for any other lock. Nobody else has it. */
  readonly permit: number | undefined;

  /** The random value in the lock key, fresh for every grant. A secret: who has it can release. */
  readonly ownerId: string;

  /**
   * A safe integer that grows with every grant of this name. A store that rejects smaller ones
   * than it has seen is safe even from a holder that was paused past its lease.
   * Undefined with `fencing: false`.
   */
  readonly fencingToken: TokenOf<Fencing>;

  /** What is left of the validity, ms; 0 once the lock is lost or released. */
  readonly remainingMs: number;

  /**
   * When the validity ends, by the wall clock of this machine: for logs and for deadlines given to
   * others. Decide by {@link Lock.remainingMs}, which does not follow a clock that is set.
   */
  readonly validUntil: Date;

  /**
   * Aborted, with a {@link LockLostError} as its reason, when the lock is lost: at the end of its
   * validity at the latest, whatever the network does. Not aborted by a release.
   */
  readonly signal: AbortSignal;

  /** Whether the lock is held at this moment, by the clock. */
  readonly isHeld: boolean;

  /**
   * The check before a critical write: synchronous, by the clock, right also just after a stall of
   * the event loop.
   * @throws LockLostError if the lock was lost or released.
   */
  assertHeld(): void;

  /**
   * Extends the lease by a full ttl from now, once. Not needed while `renew` is on.
   * @throws LockLostError if the lock is lost or released; QuorumUnreachableError if too few nodes
   *   answered: the lock is then still held for {@link Lock.remainingMs}, and it may be tried again.
   */
  extend(): Promise<void>;

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
  release(): Promise<ReleaseResult>;

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
}
