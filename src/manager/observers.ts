import type { ObservedHolder } from "../api/observed.js";
import { Observation } from "../coordinator/observation.js";
import type { Context } from "../coordinator/context.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Holding } from "../protocol/watching.js";
import { whenAborted } from "../runtime/when-aborted.js";

/** Whom a lock manager observes: all who observe one name share what is asked and heard. */
export class Observers {
  readonly #context: Context;
  readonly #nodeTimeoutMs: number;
  readonly #shared = new Map<string, { observation: Observation; all: Set<NameObserver> }>();
  #isClosed = false;

  constructor(context: Context, nodeTimeoutMs: number) {
    this.#context = context;
    this.#nodeTimeoutMs = nodeTimeoutMs;
  }

  /** Asks nobody before its first result is asked for. */
  of(keys: LockKind, signal: AbortSignal | undefined): NameObserver {
    return new NameObserver(this, keys, signal);
  }

  /** Called by the observer. Undefined once the manager is closed. */
  enter(observer: NameObserver, keys: LockKind): Observation | undefined {
    if (this.#isClosed) return undefined;
    let shared = this.#shared.get(keys.lockKey);
    if (shared === undefined) {
      const all = new Set<NameObserver>();
      const onShown = (): void => all.forEach((each) => each.look());
      const observation = new Observation(this.#context, keys, this.#nodeTimeoutMs, onShown);
      shared = { observation, all };
      this.#shared.set(keys.lockKey, shared);
      observation.begin();
    }
    shared.all.add(observer);
    return shared.observation;
  }

  /** Called by the observer. */
  leave(observer: NameObserver, { lockKey }: LockKind): void {
    const shared = this.#shared.get(lockKey);
    if (shared?.all.delete(observer) !== true || shared.all.size > 0) return;
    shared.observation.end();
    this.#shared.delete(lockKey);
  }

  close(): void {
    this.#isClosed = true;
    for (const { all } of this.#shared.values()) for (const observer of all) observer.end();
  }
}

/** Tells holders apart: the hash of the ownerId. For tests. */
export let whoOf: (holder: ObservedHolder) => string;

class ShownHolder implements ObservedHolder {
  static {
    whoOf = (holder) => (holder as ShownHolder).#who;
  }

  readonly label: string | undefined;
  readonly value: string | undefined;
  readonly fence: number;
  readonly since: Date;
  readonly #who: string;

  constructor({ who, label, value, fence }: Holding) {
    this.label = label;
    this.value = value || undefined;
    this.fence = fence;
    this.since = new Date(fence / 1_000);
    this.#who = who;
  }
}

type Result = IteratorResult<ObservedHolder | null, undefined>;

const DONE: Result = { done: true, value: undefined };

/** Who holds a name, one after the other, for one loop. It skips what is over before it is asked for. */
export class NameObserver implements AsyncIterableIterator<ObservedHolder | null> {
  readonly #observers: Observers;
  readonly #keys: LockKind;
  readonly #signal: AbortSignal | undefined;
  #ignoreSignal: (() => void) | undefined;
  #observation: Observation | undefined;
  /** The last result. */
  #told: Holding | null | undefined;
  #waiting: { promise: Promise<Result>; resolve: (result: Result) => void } | undefined;
  #isOver = false;

  constructor(observers: Observers, keys: LockKind, signal: AbortSignal | undefined) {
    this.#observers = observers;
    this.#keys = keys;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Calls at the same time share a result. */
  next(): Promise<Result> {
    if (this.#signal?.aborted === true) this.end();
    if (!this.#isOver && this.#observation === undefined) {
      this.#ignoreSignal = this.#signal && whenAborted(this.#signal, () => this.end());
      this.#observation = this.#observers.enter(this, this.#keys);
      if (this.#observation === undefined) this.end();
    }
    if (this.#isOver) return Promise.resolve(DONE);
    if (this.#waiting === undefined) {
      let resolve: (result: Result) => void = () => {};
      const promise = new Promise<Result>((onResolve) => {
        resolve = onResolve;
      });
      this.#waiting = { promise, resolve };
    }
    const { promise } = this.#waiting;
    this.look();
    return promise;
  }

  return(): Promise<Result> {
    this.end();
    return Promise.resolve(DONE);
  }

  /** A generator that delegates to it, and is given an error, ends it with that. */
  throw(error: unknown): Promise<Result> {
    this.end();
    return Promise.reject(error);
  }

  /** Called by the observers: there may be something new. */
  look(): void {
    const { shown, isCurrent = false } = this.#observation ?? {};
    if (this.#waiting === undefined || !isCurrent || shown === undefined || shown === this.#told)
      return;
    this.#told = shown;
    this.#settle({ done: false, value: shown && new ShownHolder(shown) });
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ignoreSignal?.();
    if (this.#observation !== undefined) this.#observers.leave(this, this.#keys);
    this.#settle(DONE);
  }

  #settle(result: Result): void {
    this.#waiting?.resolve(result);
    this.#waiting = undefined;
  }
}
