import type { LockMode } from "./options.js";
import type { ReleaseResult } from "../coordinator/release-result.js";

/** Description of a lock, without its secret: the result of {@link Lock.toJSON}. */
export interface LockDescription {
  readonly name: string;
  readonly mode: LockMode;
  readonly fencingToken: number;
  readonly isHeld: boolean;
}

/**
 * A granted lock. It is a lease, held only as long as its validity lasts: call {@link Lock.assertHeld} before a
 * critical write, observe {@link Lock.signal}, and pass {@link Lock.fencingToken} to the protected store.
 *
 * An interface, so that a test double can implement it.
 */
export interface Lock extends AsyncDisposable {
  /** For display. Several names are sorted and joined with ", ". */
  readonly name: string;

  /** The locked names, sorted and without duplicates: one, or several. */
  readonly names: readonly string[];

  /** `exclusive`, or `shared` if other shared locks can be held at the same time. */
  readonly mode: LockMode;

  /** The owner, if one was given. */
  readonly owner: string | undefined;

  /**
   * Number of the semaphore permit, from 0: the smallest that was free. Undefined for any other lock. No other holder has
   * the same number. Of several permits it is the smallest.
   */
  readonly permit: number | undefined;

  /** Numbers of all permits that were acquired together, ascending; undefined for any other lock. */
  readonly permits: readonly number[] | undefined;

  /**
   * A safe integer that grows with every grant of this name. A store that rejects smaller ones
   * than it has seen is safe even from a holder that was paused past its lease.
   */
  readonly fencingToken: number;

  /** Remaining validity, ms; 0 once the lock is lost or released. */
  readonly remainingMs: number;

  /**
   * When the validity ends, by the wall clock of this machine: for logs, and for deadlines passed to others.
   * Base decisions on {@link Lock.remainingMs}, which is not affected by changes of the wall clock.
   */
  readonly validUntil: Date;

  /**
   * Aborted, with a {@link LockLostError} as its reason, when the lock is lost, at the latest when its validity
   * ends, whatever the network does. Not aborted by a release.
   */
  readonly signal: AbortSignal;

  /** Whether the lock is held now, by the clock. */
  readonly isHeld: boolean;

  /**
   * The check before a critical write: synchronous, by the clock, and correct even right after the event loop
   * was blocked.
   * @throws LockLostError if the lock was lost or released.
   */
  assertHeld(): void;

  /**
   * Extends the lease once, to `ttlMs` from now, less drift; by default to a full ttl. It never becomes shorter: what
   * was left stays if that is more, and so does the extension if the next renewal is for less. Not needed while
   * `renew` is on, except before work during which no renewal can be sent.
   *
   * @param ttlMs at most the manager's `maxTtlMs`, with the lock-delay
   * @throws LockLostError if the lock is lost or released; NoQuorumError if too few nodes answered:
   *   the lock is then still held for {@link Lock.remainingMs}, and you can try again; MisconfiguredError where nodes
   *   must not store it, as keys that live so long; TypeError or RangeError for a bad `ttlMs`.
   */
  extend(ttlMs?: number): Promise<void>;

  /**
   * Releases the lock on all nodes; nodes that are down get the release when they are back. Safe to call twice,
   * late, or after a loss. Never rejects, and waits only for a quorum.
   *
   * @returns `released`: a quorum of nodes deleted our key, or the next waiter of this process goes on with it.
   *   `expired`: the lock had been lost, or had expired before the nodes received the release. `partial`: too few nodes
   *   answered to tell; the keys expire with their ttl. With several handles on one lock (see {@link AcquireOptions.reentrant}) only the last release
   *   does this; the others are `released` (or `expired`) immediately. `handedOver`: the lock belongs to another
   *   process, see {@link Lock.handOver}.
   */
  release(): Promise<ReleaseResult>;

  /**
   * Releases the lock, for `await using`.
   * @throws LockLostError if the lock was lost and nothing has told so yet: neither {@link Lock.assertHeld} or
   *   {@link Lock.extend} by an error, nor {@link Lock.release} by `expired`, nor a listener on {@link Lock.signal}
   */
  [Symbol.asyncDispose](): Promise<void>;

  /**
   * Hands the lock over to another process, which takes it with {@link LockManager.adopt}.
   *
   * **The lock ends here**, before this returns: `isHeld` is false, renewals stop, nothing is released. The
   * keys stay on the nodes until the lock is adopted or what its last renewal gave it has passed. The result contains the secret of
   * the lock: send it as you would send a password.
   *
   * @throws LockLostError if the lock is not held; RangeError for anything but an exclusive lock of one name
   *   without joined handles, which stays held
   */
  handOver(): GivenLock;

  /** For `JSON.stringify`: what may be logged. Changes nothing. */
  toJSON(): LockDescription;
}

/**
 * A lock that is being handed over to another process: the result of {@link Lock.handOver}, and the input of
 * {@link LockManager.adopt}. It contains the secret of the lock: anyone who has it can adopt or release the
 * lock, so send it as you would send a password.
 */
export interface GivenLock {
  readonly kind: "quorate-lock";
  readonly version: 1;
  readonly name: string;
  /** Key on the nodes: the adopter's `keyPrefix` has to make the same. */
  readonly lockKey: string;
  readonly mode: "exclusive";
  readonly ownerId: string;
  /** Of the giver's grant; the adopter's is above it. */
  readonly fencingToken: number;
  /** The giver's ttl, ms: the adopter's too, unless it says otherwise. */
  readonly ttlMs: number;
  /**
   * What was left of the giver's minimum hold, ms: the adopter's is at least that, from its own grant on. Left out where
   * there is none.
   */
  readonly minHoldMs?: number | undefined;
}
