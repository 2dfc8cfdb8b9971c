import { Candidacy, type CandidacySettings, type Electorate } from "./candidacy.js";
import type { Term } from "./term.js";

/**
 * Stands for election again and again; iterating it gives the terms won.
 *
 * Each pass of the loop is one term: it is resigned when the body ends, however that ends, and the
 * next pass begins with the next election. For one loop only; nothing happens before it begins.
 *
 * @example
 * ```ts
 * for await (const term of locks.elect("scheduler", { signal })) {
 *   while (term.isHeld) await runDueJobs(term.fencingToken, term.signal);
 * }
 * ```
 */
export class Election implements AsyncIterableIterator<Term>, AsyncDisposable {
  /** What is stood for. */
  readonly name: string;
  readonly #candidacy: Candidacy<Term>;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => void this.return();
  #isStarted = false;

  /** @internal */
  constructor(
    name: string,
    electorate: Electorate<Term>,
    settings: CandidacySettings,
    signal: AbortSignal | undefined,
  ) {
    this.name = name;
    this.#signal = signal;
    const onOver = (): void => signal?.removeEventListener("abort", this.#onAbort);
    this.#candidacy = new Candidacy(electorate, settings, onOver);
  }

  /** Whether this candidate leads at this moment, by the clock. */
  get isLeader(): boolean {
    return this.#candidacy.term !== undefined;
  }

  /** The term that lasts now, if there is one. */
  get term(): Term | undefined {
    return this.#candidacy.term;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Resigns the present term and waits for the next, through outages, for as long as it takes. Calls
   * while one waits share its term. Done once the election was ended or its `signal` aborted.
   *
   * @throws ForeignKeyError, MisconfiguredError, or ClosedError when the lock manager is closed;
   *   once, and after that it is done.
   */
  next(): Promise<IteratorResult<Term, undefined>> {
    if (this.#signal?.aborted) void this.return();
    else if (!this.#isStarted) this.#signal?.addEventListener("abort", this.#onAbort);
    this.#isStarted = true;
    return this.#candidacy.next();
  }

  /** Ends the election: resigns, or calls the campaign off. What a `break` out of the loop calls. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.#candidacy.end();
    return { done: true, value: undefined };
  }

  /** Ends it, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
