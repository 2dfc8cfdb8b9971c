import { Acquire, type AcquireOutcome } from "../../coordinator/acquire.js";
import type { WaitSettings } from "../../protocol/next-move.js";
import type { AttemptFailure } from "../../protocol/attempt-failure.js";
import type { Context } from "../../coordinator/context.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import type { Pending } from "../../coordinator/local-competitors.js";
import type { Timer } from "../../coordinator/ports.js";
import type { LockKind } from "../../protocol/lock-kind.js";

export interface DelayedAcquireSettings {
  readonly keys: LockKind;
  readonly lease: LeaseSettings;
  readonly wait: WaitSettings;
  readonly delayMs: number;
}

/** A pause, and then one acquire that waits without limit. */
export class DelayedAcquire implements Pending {
  readonly keys: LockKind;
  #timer: Timer | undefined;
  #pendingAcquire: Acquire | undefined;
  #isOver = false;
  readonly #settle: (outcome: AcquireOutcome, campaign: DelayedAcquire) => void;

  /**
   * @param settle is called once, never from within this constructor
   * @param onSetback called for every failed attempt except the last
   */
  constructor(
    context: Context,
    { keys, lease, wait, delayMs }: DelayedAcquireSettings,
    settle: (outcome: AcquireOutcome, campaign: DelayedAcquire) => void,
    onSetback: (failure: AttemptFailure) => void,
  ) {
    this.keys = keys;
    this.#settle = settle;
    const start = (): void => {
      const done = (outcome: AcquireOutcome): void => this.#end(outcome);
      const wanted = { keys, settings: lease, wait };
      const pendingAcquire = new Acquire(context, wanted, done, onSetback);
      this.#pendingAcquire = pendingAcquire;
      pendingAcquire.begin();
    };
    if (delayMs > 0) this.#timer = context.clock.setTimer(delayMs, start);
    else start();
  }

  /** Attempts so far. */
  get attemptCount(): number {
    return this.#pendingAcquire?.attemptCount ?? 0;
  }

  /** Settles as `aborted` immediately; what was sent is rolled back afterwards. */
  abort(): void {
    this.#timer?.cancel();
    if (this.#pendingAcquire === undefined) this.#end({ kind: "aborted" });
    else this.#pendingAcquire.abort();
  }

  yieldTo(lockKey: string): void {
    this.#pendingAcquire?.yieldTo(lockKey);
  }

  whenDecided(lockKey: string, callback: () => void): boolean {
    return this.#pendingAcquire?.whenDecided(lockKey, callback) ?? false;
  }

  get askedMs(): number {
    return this.#pendingAcquire?.askedMs ?? Number.POSITIVE_INFINITY;
  }

  #end(outcome: AcquireOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(outcome, this);
  }
}
