import type { ReleaseResult } from "../coordinator/release-result.js";
import type { TokenOf } from "./lock.js";

/**
 * One leadership. It is a lease, like the lock that it stands on: ask {@link Term.assertHeld} before
 * a critical step, heed {@link Term.signal}, and hand {@link Term.fencingToken} to the store.
 *
 * An interface, so that a test double can implement it.
 */
export interface Term<Fencing extends boolean = true> extends AsyncDisposable {
  /** What it was elected for. */
  readonly name: string;

  /** Grows with every term of the name, whoever leads. Undefined with `fencing: false`. */
  readonly fencingToken: TokenOf<Fencing>;

  /** For how long it lasts without another renewal, ms; 0 once it is over. */
  readonly remainingMs: number;

  /**
   * Aborted when the term is over: with a {@link LockLostError} as its reason when it was lost, at
   * the end of its validity at the latest, and, unlike a lock's, also when it was resigned (reason
   * `released`), so that whatever was begun under it ends with it.
   */
  readonly signal: AbortSignal;

  /** Whether it lasts at this moment, by the clock. */
  readonly isHeld: boolean;

  /** Whether it ended without having been resigned. */
  readonly isLost: boolean;

  /**
   * The check before a critical step: synchronous, by the clock.
   * @throws LockLostError if the term is over.
   */
  assertHeld(): void;

  /** Gives the leadership up: who waits is elected at once. As {@link Lock.release}; never rejects. */
  resign(): Promise<ReleaseResult>;
}

/**
 * Stands for election again and again; iterating it gives the terms won.
 *
 * Each pass of the loop is one term: it is resigned when the body ends, however that ends, and the
 * next pass begins with the next election. For one loop only; nothing happens before it begins.
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
export interface Election<Fencing extends boolean = true>
  extends AsyncIterableIterator<Term<Fencing>>, AsyncDisposable {
  /** What is stood for. */
  readonly name: string;

  /** Whether this candidate leads at this moment, by the clock. */
  readonly isLeader: boolean;

  /** The term that lasts now, if there is one. */
  readonly term: Term<Fencing> | undefined;

  /**
   * Resigns the present term and waits for the next, through outages, for as long as it takes. Calls
   * while one waits share its term. Done once the election was ended or its `signal` aborted.
   *
   * @throws ForeignKeyError, MisconfiguredError, or ClosedError when the lock manager is closed;
   *   once, and after that it is done.
   */
  next(): Promise<IteratorResult<Term<Fencing>, undefined>>;

  /** Ends the election: resigns, or calls the campaign off. What a `break` out of the loop calls. */
  return(): Promise<IteratorReturnResult<undefined>>;
}
