import { backoffMs } from "../../protocol/backoff.js";

/** What a candidacy needs to know about a term. */
export interface Leadership {
  /** Whether it is held now, by the clock. */
  readonly isHeld: boolean;
  /** It ended without having been resigned. */
  readonly isLost: boolean;
  /** Ends it. Safe to call twice; never rejects. */
  resign(): Promise<unknown>;
}

export type CampaignOutcome<T> =
  | { readonly kind: "elected"; readonly term: T }
  /** An error that waiting cannot cure. */
  | { readonly kind: "failed"; readonly error: unknown };

/** The way in which a candidacy campaigns. */
export interface Electorate<T> {
  /**
   * Campaigns after a pause, without a time limit. `settle` is called once, never from within this call, and has no
   * effect after `abort`.
   */
  campaign(
    delayMs: number,
    settle: (outcome: CampaignOutcome<T>) => void,
  ): { readonly abort: () => void };
  /** Uniform in [0, 1). */
  unit(): number;
}

export interface CandidacySettings {
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

interface Waiting<T> {
  readonly promise: Promise<IteratorResult<T, undefined>>;
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The terms of one candidate, as an async iterator: campaign, yield the term, resign, campaign again.
 *
 * It campaigns only while a caller waits for the next term, so that no term begins unattended; and it has at most one
 * campaign or one term at a time.
 */
export class Candidacy<T extends Leadership> {
  readonly #electorate: Electorate<T>;
  readonly #settings: CandidacySettings;
  readonly #onOver: () => void;
  #waiting: Waiting<T> | undefined;
  #campaign: { readonly abort: () => void } | undefined;
  #term: T | undefined;
  #resigning: Promise<unknown> | undefined;
  /** Consecutive terms that were lost. */
  #lossCount = 0;
  #isFresh = true;
  #isOver = false;

  /** @param onOver called when there are no more terms */
  constructor(electorate: Electorate<T>, settings: CandidacySettings, onOver: () => void) {
    this.#electorate = electorate;
    this.#settings = settings;
    this.#onOver = onOver;
  }

  /** The current term. */
  get term(): T | undefined {
    return this.#term?.isHeld === true ? this.#term : undefined;
  }

  /**
   * Ends the current term and waits for the next. Calls made while another one waits share its result: if they queued
   * after it, they would end its term unseen.
   *
   * @throws errors that waiting cannot cure; after that, and after {@link end}, there are no more terms
   */
  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    if (this.#waiting !== undefined) return this.#waiting.promise;
    this.#waiting = newWaiting();
    const { promise } = this.#waiting;
    this.#succeed();
    return promise;
  }

  /** Ends the term or the campaign; a waiting caller gets "no more terms". */
  async end(): Promise<void> {
    this.#leave();
    this.#campaign?.abort();
    this.#campaign = undefined;
    this.#resign();
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = undefined;
    await this.#resigning;
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
  }

  /** From one term to the campaign for the next. */
  #succeed(): void {
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    if (this.#term?.isLost === true) this.#lossCount++;
    else this.#lossCount = 0;
    this.#resign();
    if (isFresh) this.#run(0);
    else void this.#resigning?.then(() => this.#run(this.#pauseMs()));
  }

  #resign(): void {
    const term = this.#term;
    this.#term = undefined;
    if (term !== undefined) this.#resigning = term.resign();
  }

  /** After a term, whatever ended it: other candidates come first, and there is no tight loop. */
  #pauseMs(): number {
    const attemptCount = 1 + this.#lossCount;
    const quorumFreeInMs = Number.POSITIVE_INFINITY;
    const unit = this.#electorate.unit();
    return backoffMs({ ...this.#settings, attemptCount, quorumFreeInMs, unit });
  }

  #run(delayMs: number): void {
    if (this.#isOver) return;
    this.#campaign = this.#electorate.campaign(delayMs, (outcome) => this.#onOutcome(outcome));
  }

  #onOutcome(outcome: CampaignOutcome<T>): void {
    this.#campaign = undefined;
    if (outcome.kind === "elected") {
      this.#term = outcome.term;
      // An end that came meanwhile did not know of this term.
      if (this.#isOver) this.#resign();
      else void Promise.resolve().then(() => this.#handOver(outcome.term));
    } else if (!this.#isOver) {
      this.#leave();
      this.#waiting?.reject(outcome.error);
      this.#waiting = undefined;
    }
  }

  /** Checked as late as possible: a term that has ended by now is not returned. */
  #handOver(term: T): void {
    if (this.#isOver) return;
    if (!term.isHeld) {
      this.#succeed();
      return;
    }
    this.#waiting?.resolve({ done: false, value: term });
    this.#waiting = undefined;
  }
}

function newWaiting<T>(): Waiting<T> {
  let resolve: Waiting<T>["resolve"] = () => {};
  let reject: Waiting<T>["reject"] = () => {};
  const promise = new Promise<IteratorResult<T, undefined>>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
