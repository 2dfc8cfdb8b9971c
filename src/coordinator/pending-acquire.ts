import type { LockKind } from "../protocol/lock-kind.js";
import { AcquireAttempts } from "./acquire-attempts.js";
import { NEWCOMER, type AcquireMode } from "./acquire-mode.js";
import type { AcquireRequest } from "./acquire-request.js";
import { AcquireTimer, type TimedAcquire } from "./acquire-timer.js";
import type { Urgency } from "./admission.js";
import { isHopeless, unaskedFailure, type AttemptFailure } from "./attempt-failure.js";
import type { AttemptListener, AttemptOutcome } from "./attempt.js";
import type { Context } from "./context.js";
import type { Lease } from "./lease.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Pending } from "./local-competitors.js";
import type { WaitSettings } from "./pauses.js";
import { QueuedAcquire, type Asker } from "./queued-acquire.js";

/** How an acquire ended: the last attempt's outcome, or the caller's (or the manager's) abort. */
export type AcquireOutcome = AttemptOutcome | { readonly kind: "aborted" };

/**
 * An acquire under way: attempts until one is granted, the wait is over, or it is aborted.
 *
 * The first attempt goes out at once, unless others wait here already. After that it stands in line:
 * only the first of a wait queue contends (and the readers behind it, once one got in), and it sleeps until
 * the nodes say that it is its turn, or a while has gone by (a message may be lost).
 *
 * For a named owner it asks again and again, wherever it stands, whether that owner is in by now: who
 * would let it in may wait for it, and must not wait for those who stand before it.
 *
 * The last attempt begins no later than `waitMs` after the start, so everything is settled
 * within `waitMs` and the node deadlines of one attempt (acquire and seal).
 */
export class PendingAcquire implements AttemptListener, Pending, TimedAcquire, Asker {
  readonly #context: Context;
  readonly #request: AcquireRequest;
  readonly #settle: (outcome: AcquireOutcome, pendingAcquire: PendingAcquire) => void;
  readonly #onSetback: ((failure: AttemptFailure) => void) | undefined;
  readonly #attempts: AcquireAttempts;
  readonly #timer: AcquireTimer;
  /** From when on it waits. */
  #queued: QueuedAcquire | undefined;
  #lastFailure: AttemptFailure | undefined;
  #isOver = false;

  /**
   * @param settle is called once, never from within this constructor
   * @param onSetback is told of every attempt that failed and is not the last
   */
  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    wait: WaitSettings,
    settle: (outcome: AcquireOutcome, pendingAcquire: PendingAcquire) => void,
    onSetback?: (failure: AttemptFailure) => void,
  ) {
    const startedMs = context.clock.now();
    const deadlineMs = startedMs + wait.waitMs;
    this.#context = context;
    this.#request = { keys, settings, wait, startedMs, deadlineMs };
    this.#settle = settle;
    this.#onSetback = onSetback;
    this.#attempts = new AcquireAttempts(context, keys, settings, this);
    this.#timer = new AcquireTimer(context, this, wait, deadlineMs);
    const { waitQueues } = context;
    const isWaitedFor = waitQueues.of(keys) !== undefined;
    const isContended =
      isWaitedFor || (wait.waitMs > 0 && waitQueues.contended.has(keys, startedMs));
    if (!isContended && !wait.fair) this.ask(startedMs, NEWCOMER);
    else if (wait.waitMs > 0) this.#enterQueue(startedMs);
    else if (!isWaitedFor || !wait.fair) this.ask(startedMs, NEWCOMER);
    // Its owner may be in already.
    else if (keys.joinOnly !== undefined) this.ask(startedMs, { as: "joiner" });
    else context.clock.defer(() => this.fail(unaskedFailure("refused", context.nodes.length)));
  }

  /** What it wants. */
  get keys(): LockKind {
    return this.#request.keys;
  }

  get name(): string {
    return this.keys.name;
  }

  get attemptCount(): number {
    return this.#attempts.count;
  }

  /** How long it has been trying, ms. */
  get waitedMs(): number {
    return this.#context.clock.now() - this.#request.startedMs;
  }

  /** Settles as `aborted` at once; what was sent is rolled back behind it. */
  abort(): void {
    if (this.#isOver) return;
    this.#attempts.abort();
    this.#end({ kind: "aborted" });
    this.#attempts.tellDecided();
  }

  /** What is on its way is taken back, and asked anew behind the one that steals the name. */
  yieldTo(lockKey: string): void {
    if (!this.#attempts.isUnderWay || !this.keys.lockKeys.includes(lockKey)) return;
    this.#attempts.abort();
    this.#timer.sleepUntil(this.#context.clock.now());
    this.#attempts.tellDecided();
  }

  /** Called by one that steals the name, and came later. */
  whenDecided(lockKey: string, callback: () => void): boolean {
    const { isUnderWay, isResting } = this.#attempts;
    const isAsking = isUnderWay || this.#queued?.isLetIn === true;
    if (!isAsking || isResting || !this.keys.lockKeys.includes(lockKey)) return false;
    this.#attempts.whenDecided(callback);
    return true;
  }

  /** Read by one that steals the name, and came later. */
  get askedMs(): number {
    return this.#attempts.isAsking ? this.#attempts.sentMs : Number.POSITIVE_INFINITY;
  }

  /** Called by the attempts. */
  onOutcome(outcome: AttemptOutcome): void {
    const nowMs = this.#context.clock.now();
    if (outcome.kind === "granted") {
      this.#onGranted(outcome.lease, nowMs);
      this.#end(outcome);
    } else if (outcome.kind === "queued") {
      this.#end(this.#queued?.knownFailure ?? this.#lastFailure ?? outcome);
    } else if (this.#attempts.isJoiner && this.#queued !== undefined) {
      this.#queued.onJoinFailure(outcome, nowMs);
    } else this.#onFailure(outcome, nowMs);
  }

  #onGranted(lease: Lease, nowMs: number): void {
    const { contended } = this.#context.waitQueues;
    const { rejoins, admitsOthers } = this.keys.queue;
    const isContended = lease.run.isWaitedFor || this.attemptCount > 1;
    // Of those that are held beside others a first attempt in vain says little, and of sets not whose place to take.
    if (isContended && rejoins && !admitsOthers) contended.add(this.keys, nowMs);
    else contended.delete(this.keys);
  }

  #onFailure(failure: AttemptFailure, nowMs: number): void {
    const { settings, deadlineMs } = this.#request;
    this.#lastFailure = failure;
    this.#queued?.remember(failure);
    // Another permit may be free: it is asked for at once, and a little beyond the end of the wait.
    const isAnotherFree = this.#attempts.isAnotherFree(failure);
    if (isAnotherFree && nowMs < deadlineMs + settings.nodeTimeoutMs) {
      this.#onSetback?.(failure);
      this.#askForAnother(failure, nowMs);
    } else if (nowMs >= deadlineMs || isHopeless(failure.votes)) this.#end(failure);
    else {
      this.#onSetback?.(failure);
      if (this.#queued === undefined) this.#enterQueue(nowMs, failure);
      else this.#queued.onFailure(failure, nowMs);
    }
  }

  /** At once; but those who have split the nodes between them would do so again in step. */
  #askForAnother({ votes }: AttemptFailure, nowMs: number): void {
    if (votes.some((vote) => vote?.kind === "granted")) this.#timer.hurry(nowMs);
    else if (this.#queued === undefined) this.ask(nowMs, NEWCOMER);
    else this.#queued.tryNow(nowMs);
  }

  /** Called by the timer. */
  onDue(nowMs: number): void {
    if (this.#queued === undefined) this.ask(nowMs, NEWCOMER);
    else this.#queued.onDue(nowMs);
  }

  /** @param failure of the attempt that went before, if there was one */
  #enterQueue(nowMs: number, failure?: AttemptFailure): void {
    const [attempts, timer] = [this.#attempts, this.#timer];
    this.#queued = new QueuedAcquire(this.#context, this.#request, attempts, timer, this);
    this.#queued.begin(nowMs, failure);
  }

  /** @param mode unless it waits, it leaves the queue of the nodes, and the turns in it, to others */
  ask(nowMs: number, mode: AcquireMode, urgency?: Urgency): void {
    if (this.#isOver) return;
    const { wait, deadlineMs } = this.#request;
    this.#timer.stop();
    const isPatient = this.attemptCount > 0 && nowMs < deadlineMs;
    this.#attempts.begin(mode, nowMs, this.#queued?.turns, {
      urgency: urgency ?? (isPatient ? "patient" : "plain"),
      // The one attempt of a call that does not wait is made, however many are before it.
      ...(wait.waitMs > 0 && { beginUntilMs: Math.max(deadlineMs, nowMs + 1) }),
    });
  }

  fail(failure: AttemptFailure): void {
    if (!this.#isOver) this.#end(failure);
  }

  #end(outcome: AcquireOutcome): void {
    this.#isOver = true;
    if (outcome.kind !== "granted") this.#attempts.giveUp();
    this.#timer.stop();
    this.#queued?.leave(outcome.kind === "granted" ? outcome.lease : undefined);
    this.#settle(outcome, this);
  }
}
