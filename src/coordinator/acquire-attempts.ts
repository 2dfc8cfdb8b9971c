import type { LockKind } from "../protocol/lock-kind.js";
import type { AcquireMode } from "./acquire-mode.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { AttemptListener, AttemptOutcome } from "./attempt.js";
import { Contest } from "./contest.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { PendingAttempt, type Entry, type PendingAttemptListener } from "./pending-attempt.js";
import { PermitPicker } from "./permit-picker.js";
import type { WaitQueue } from "./wait-queue.js";

/** How often it asks again at once: the nodes that disagreed about tokens agree after the first that was sealed. */
const MAX_OUTRUN = 4;

/** The attempts of one acquire, at most one at a time. */
export class AcquireAttempts implements PendingAttemptListener {
  /** Attempts begun so far. */
  count = 0;
  /** When the last one was sent, lease clock, ms. */
  sentMs = 0;
  /** Asks only where the same owner already holds the lock. */
  isJoiner = false;

  readonly #context: Context;
  readonly #keys: LockKind;
  readonly #settings: LeaseSettings;
  readonly #listener: AttemptListener;
  /** Of a semaphore: which permit to ask for. */
  readonly #picker: PermitPicker | undefined;
  readonly #contest: Contest;
  readonly #onDecided: (() => void)[] = [];
  #outrunCount = 0;
  #current: PendingAttempt | undefined;

  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    listener: AttemptListener,
  ) {
    this.#context = context;
    this.#keys = keys;
    this.#settings = settings;
    this.#listener = listener;
    this.#contest = new Contest(context.entropy);
    if (keys.permits !== undefined) this.#picker = new PermitPicker(context, keys, keys.permits);
  }

  get isUnderWay(): boolean {
    return this.#current !== undefined;
  }

  /** Nodes have been asked and have not decided yet. */
  get isAsking(): boolean {
    return this.#current?.hasBegun === true && !this.isLost;
  }

  /** What the nodes still answer only says why it fails. */
  get isLost(): boolean {
    return this.#current?.isLost === true;
  }

  /** It is held back until a quorum answers; other attempts may begin before it. */
  get isResting(): boolean {
    return this.#current?.isResting === true;
  }

  /** @param waitQueue whose turns may be used; undefined if they are for another */
  begin(mode: AcquireMode, nowMs: number, waitQueue: WaitQueue | undefined, entry: Entry): void {
    this.isJoiner = mode.as === "joiner";
    const keys = this.#picker?.next(waitQueue, nowMs) ?? this.#keys;
    this.#current = new PendingAttempt(this.#context, keys, this.#settings, this, mode, entry);
  }

  /** Where nodes notify it, their queues decide whose turn it is, and it gives up a split. */
  contestOf({ as }: AcquireMode): Contest | undefined {
    const isQueued = as === "waiter" && this.#context.waitQueues.inbox?.isHeard === true;
    return as === "newcomer" || (as === "waiter" && !isQueued) ? this.#contest : undefined;
  }

  /** Nodes have reserved the name for this process. */
  hurry(): void {
    this.#current?.hurry();
  }

  /** Rolls back what is in flight. */
  abort(): void {
    if (this.#current === undefined) return;
    this.#current.abort();
    this.#current = undefined;
    this.#picker?.letGo();
  }

  /**
   * Whether it should ask again immediately: another permit is free, or the name is held only by those who admit it,
   * and whose attempts were faster.
   */
  isWithinReach(failure: AttemptFailure): boolean {
    const isWithinReach = this.#isWithinReach(failure);
    if (isWithinReach) this.#contest.end();
    return isWithinReach;
  }

  #isWithinReach(failure: AttemptFailure): boolean {
    if (this.#picker !== undefined) return this.#picker.onFailure(failure);
    const isAdmitted = this.#keys.queue.admitsOthers || this.#keys.joinOnly !== undefined;
    return isAdmitted && failure.isOutrun && this.#outrunCount++ < MAX_OUTRUN;
  }

  /** Until when the acquire may ask again because the nodes are split, lease clock, ms. */
  get contestUntilMs(): number {
    return this.#contest.untilMs;
  }

  /** No attempt will follow, and none was granted. */
  giveUp(): void {
    this.#picker?.letGo();
  }

  /** Called once, when the nodes have decided or their decision no longer matters. */
  whenDecided(callback: () => void): void {
    this.#onDecided.push(callback);
  }

  tellDecided(): void {
    for (const callback of this.#onDecided.splice(0)) callback();
  }

  /** Called by the attempt. */
  onBegin(nowMs: number): boolean {
    this.count++;
    this.sentMs = nowMs;
    this.#contest.begin(nowMs, this.#settings.nodeTimeoutMs);
    return true;
  }

  /** Called by the attempt. */
  onOutcome(outcome: AttemptOutcome): void {
    this.#current = undefined;
    if (outcome.kind !== "granted" && outcome.askAgainInMs === undefined) this.#contest.end();
    this.#listener.onOutcome(outcome);
    this.tellDecided();
  }
}
