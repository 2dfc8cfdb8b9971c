import { whenAborted } from "../../runtime/when-aborted.js";
import { asked } from "../caller.js";
import { Candidacy, type CandidacySettings, type Electorate } from "./candidacy.js";
import type { ObservedHolder } from "../../api/observed.js";
import type { ElectOptions } from "../../api/options.js";
import type { Election, Term } from "../../api/election.js";
import type { LeasedTerm } from "./term.js";

/** An election whose terms are based on locks. */
export class LockElection implements Election {
  readonly name: string;
  readonly #candidacy: Candidacy<LeasedTerm>;
  readonly #signal: AbortSignal | undefined;
  readonly #observe: Election["observe"];
  #ignoreSignal: (() => void) | undefined;
  #isStarted = false;

  /** @internal */
  constructor(
    name: string,
    electorate: Electorate<LeasedTerm>,
    settings: CandidacySettings,
    signal: AbortSignal | undefined,
    observe: Election["observe"],
  ) {
    this.name = name;
    this.#signal = signal;
    this.#observe = observe;
    this.#candidacy = new Candidacy(electorate, settings, () => this.#ignoreSignal?.());
  }

  get isLeader(): boolean {
    return this.#candidacy.term !== undefined;
  }

  get term(): Term | undefined {
    return this.#candidacy.term;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Term, undefined>> {
    if (this.#signal?.aborted) void this.return();
    else if (this.#signal && !this.#isStarted)
      this.#ignoreSignal = whenAborted(this.#signal, () => void this.return());
    this.#isStarted = true;
    return asked(this.#candidacy.next());
  }

  observe(
    options: Pick<ElectOptions, "signal"> = {},
  ): AsyncIterableIterator<ObservedHolder | null> {
    return this.#observe(options);
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    // What is over listens to its signal no more, even if it is asked for a term.
    this.#isStarted = true;
    await this.#candidacy.end();
    return { done: true, value: undefined };
  }

  /** A generator that delegates to the election, and is given an error, ends it with that. */
  async throw(error: unknown): Promise<IteratorReturnResult<undefined>> {
    await this.return();
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
