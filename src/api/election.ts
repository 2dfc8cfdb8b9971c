import type { ObservedHolder } from "./observed.js";
import type { ElectOptions } from "./options.js";
import type { ReleaseResult } from "../coordinator/release-result.js";

/**
 * One term of leadership. It is a lease, like a lock: call {@link Term.assertHeld} before a critical step,
 * observe {@link Term.signal}, and pass {@link Term.fencingToken} to the store.
 *
 * An interface, so that a test double can implement it.
 */
export interface Term extends AsyncDisposable {
  /** The name of the election. */
  readonly name: string;

  /** Grows with every term of the name, across all leaders. */
  readonly fencingToken: number;

  /** Remaining validity without another renewal, ms; 0 once the term has ended. */
  readonly remainingMs: number;

  /**
   * Aborted when the term ends. If it was lost, the reason is a {@link LockLostError}, at the latest when its
   * validity ends. Unlike a lock's signal, it is also aborted when the term is resigned (reason `released`), so
   * that everything started in the term ends with it.
   */
  readonly signal: AbortSignal;

  /** Whether the term is held now, by the clock. */
  readonly isHeld: boolean;

  /** Whether the term ended without being resigned. */
  readonly isLost: boolean;

  /**
   * The check before a critical step: synchronous, by the clock.
   * @throws LockLostError if the term has ended.
   */
  assertHeld(): void;

  /**
   * Changes what observers of the election are shown, such as its address: up to 1,024 bytes. Resolves
   * once a quorum of nodes has it; the other nodes get it with the next renewal.
   *
   * @throws LockLostError if the term has ended; NoQuorumError if too few nodes answered: the term goes on, and observers
   *   may be told; TypeError or RangeError for a bad value, RangeError in the `layout` of another library
   */
  proclaim(value: string): Promise<void>;

  /**
   * Resigns: a waiting candidate is elected immediately. Like {@link Lock.release}, but it aborts {@link Term.signal};
   * never rejects.
   */
  resign(): Promise<ReleaseResult>;
}

/**
 * A repeated candidacy; iterating it yields the terms won.
 *
 * Each iteration of the loop is one term. The term is resigned when the body ends, however it ends, and the next
 * iteration begins with the next election. For a single loop; nothing happens before the loop begins.
 * Work that {@link Term.signal} cancels rejects: the body catches that, or it ends the loop.
 *
 * An interface, so that a test double can implement it.
 *
 * @example
 * ```ts
 * for await (const term of locks.elect("scheduler", { signal })) {
 *   while (term.isHeld) await runDueJobs(term.fencingToken, term.signal);
 * }
 * ```
 */
export interface Election extends AsyncIterableIterator<Term>, AsyncDisposable {
  /** The name of the election. */
  readonly name: string;

  /** Whether this candidate is leader now, by the clock. */
  readonly isLeader: boolean;

  /** The current term, if there is one. */
  readonly term: Term | undefined;

  /**
   * Resigns the current term and waits for the next one, through outages, without a time limit. Concurrent
   * calls share the next term. Done when the election was ended or its `signal` aborted.
   *
   * @throws ForeignKeyError, MisconfiguredError, or ClosedError when the lock manager is closed; once, and
   *   after that it is done.
   */
  next(): Promise<IteratorResult<Term, undefined>>;

  /** Who leads, as {@link LockManager.observe} tells: whether this candidate takes part or not. */
  observe(options?: Pick<ElectOptions, "signal">): AsyncIterableIterator<ObservedHolder | null>;

  /** Ends the election: resigns, or stops the candidacy. A `break` out of the loop calls this. */
  return(): Promise<IteratorReturnResult<undefined>>;
}
