import type { LockKind } from "../protocol/lock-kind.js";
import { AcquireAttempts } from "./acquire-attempts.js";
import { JOINER, NEWCOMER, type AcquireMode } from "./acquire-mode.js";
import type { AcquireRequest } from "./acquire-request.js";
import { AcquireTimer } from "./acquire-timer.js";
import type { Urgency } from "./admission.js";
import { isHopeless, unaskedFailure, type AttemptFailure } from "../protocol/attempt-failure.js";
import type { AttemptListener, AttemptOutcome } from "./attempt.js";
import type { Context } from "./context.js";
import type { Lease } from "./lease.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Pending } from "./local-competitors.js";
import { soonMs, type WaitSettings } from "../protocol/next-move.js";
import { QueuedAcquire, type Asker } from "./queued-acquire.js";

/** How an acquire ended: the last attempt's outcome, or the caller's (or the manager's) abort. */
export type AcquireOutcome = AttemptOutcome | { readonly kind: "aborted" };

/**
 * An acquire in progress: attempts until one is granted, the time is up, or it is aborted.
 *
 * The first attempt is sent immediately, unless others already wait here. After that the acquire is in the wait
 * queue: only the first waiter contends (and the readers behind it, once one has been granted). It sleeps until the
 * nodes notify it, and polls now and then because a message may be lost.
 *
 * An acquire for a named owner also keeps checking, wherever it is in the queue, whether that owner holds the lock by
 * now: the holder may be waiting for it, so it must not wait for those ahead of it.
 *
 * The last attempt begins no later than `waitMs` after the start, so everything is settled within `waitMs` and the node
 * deadlines of one attempt (acquire and seal); or one node deadline later, if the last one found the name within reach.
 */
export class PendingAcquire implements AttemptListener, Pending, Asker {
  readonly #context: Context;
  readonly #request: AcquireRequest;
  readonly #settle: (outcome: AcquireOutcome, pendingAcquire: PendingAcquire) => void;
  readonly #onSetback: ((failure: AttemptFailure) => void) | undefined;
  readonly #attempts: AcquireAttempts;
  readonly #timer: AcquireTimer;
  /** When it began to wait. */
  #queued: QueuedAcquire | undefined;
  #lastFailure: AttemptFailure | undefined;
  /** The last time that it was told that somebody holds the name. */
  #refusal: AttemptFailure | undefined;
  #isOver = false;

  /**
   * @param settle is called once, never from within this constructor
   * @param onSetback called for every failed attempt except the last
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
    this.#timer = new AcquireTimer(context, (nowMs) => this.#onDue(nowMs), deadlineMs);
    const { waitQueues } = context;
    const isWaitedFor = waitQueues.of(keys) !== undefined;
    const isContended =
      isWaitedFor || (wait.waitMs > 0 && waitQueues.contended.has(keys, startedMs));
    if (!isContended && !wait.fair) this.ask(startedMs, NEWCOMER);
    else if (wait.waitMs > 0) this.#enterQueue(startedMs);
    else if (!isWaitedFor || !wait.fair) this.ask(startedMs, NEWCOMER);
    // Its owner may already hold the lock.
    else if (keys.joinOnly !== undefined) this.ask(startedMs, JOINER);
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

  /** Settles as `aborted` immediately; what was sent is rolled back afterwards. */
  abort(): void {
    if (this.#isOver) return;
    this.#attempts.abort();
    this.#end({ kind: "aborted" });
    this.#attempts.tellDecided();
  }

  /** Rolls back what is in flight, and asks again after the request that steals the name, if it has time left. */
  yieldTo(lockKey: string): void {
    const { isUnderWay, isAsking, isLost } = this.#attempts;
    if (!isUnderWay || isLost || !this.keys.lockKeys.includes(lockKey)) return;
    const { clock, nodes } = this.#context;
    const nowMs = clock.now();
    const hasTime = nowMs < this.#request.deadlineMs;
    // Nothing is in flight yet, and this attempt is its only one.
    if (!hasTime && !isAsking) return;
    this.#attempts.abort();
    if (hasTime) this.#timer.sleepUntil(nowMs);
    else this.#end(this.#knownFailure ?? unaskedFailure("refused", nodes.length));
    this.#attempts.tellDecided();
  }

  /** Called by a later request that steals the name. */
  whenDecided(lockKey: string, callback: () => void): boolean {
    const { isUnderWay, isResting } = this.#attempts;
    const isAsking = isUnderWay || this.#queued?.isLetIn === true;
    if (!isAsking || isResting || !this.keys.lockKeys.includes(lockKey)) return false;
    this.#attempts.whenDecided(callback);
    return true;
  }

  /** Read by a later request that steals the name. */
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
      this.#end(this.#knownFailure ?? outcome);
    } else if (this.#attempts.isJoiner && this.#queued !== undefined) {
      this.#queued.onJoinFailure(outcome, nowMs);
    } else this.#onFailure(outcome, nowMs);
  }

  get #knownFailure(): AttemptFailure | undefined {
    return this.#queued?.knownFailure ?? this.#lastFailure;
  }

  #onGranted(lease: Lease, nowMs: number): void {
    const { contended } = this.#context.waitQueues;
    const { rejoins, admitsOthers } = this.keys.queue;
    const isContended = lease.run.isWaitedFor || this.attemptCount > 1;
    // A first refusal says little where locks are shared; in a set of names it does not say whose queue to join.
    if (isContended && rejoins && !admitsOthers) contended.add(this.keys, nowMs);
    else contended.delete(this.keys);
  }

  #onFailure(failure: AttemptFailure, nowMs: number): void {
    const { settings, deadlineMs } = this.#request;
    this.#lastFailure = failure;
    if (failure.kind === "refused") this.#refusal = failure;
    this.#remember(failure);
    // Such as another permit: it is asked for immediately, even slightly after the deadline.
    const isWithinReach = this.#attempts.isWithinReach(failure);
    const soonMs = isWithinReach ? this.#soonMs(failure) : 0;
    if (isWithinReach && nowMs + soonMs < deadlineMs + settings.nodeTimeoutMs) {
      this.#onSetback?.(failure);
      if (soonMs > 0) this.#timer.hurryAt(nowMs + soonMs);
      else this.#askNow(nowMs);
    } else if (this.#contends(failure, nowMs)) {
      this.#onSetback?.(failure);
      this.#timer.hurryAt(nowMs + (failure.askAgainInMs ?? 0));
    } else if (nowMs >= deadlineMs || isHopeless(failure.votes)) {
      this.#end((failure.kind === "split" && this.#refusal) || failure);
    } else {
      this.#onSetback?.(failure);
      if (this.#queued === undefined) this.#enterQueue(nowMs, failure);
      else this.#queued.onFailure(failure, nowMs);
    }
  }

  /** The nodes are split, and it waits in no queue: it asks again, even slightly after the deadline. */
  #contends({ askAgainInMs, votes }: AttemptFailure, nowMs: number): boolean {
    if (askAgainInMs === undefined || this.#queued !== undefined) return false;
    return nowMs >= this.#request.deadlineMs && !isHopeless(votes);
  }

  /**
   * Those who wait for the name in this process need not find that out themselves. A joiner asks something else; and
   * beside the queue there may be owners and readers, who are granted what others are refused.
   */
  #remember(failure: AttemptFailure): void {
    const isTold = !failure.isOutrun && failure.askAgainInMs === undefined;
    if (this.#attempts.isJoiner || !isTold) return;
    if (this.#queued === undefined && failure.kind !== "unreachable") return;
    const waitQueue = this.#context.waitQueues.of(this.keys);
    waitQueue?.failures.add(failure, this.#request, this.#attempts.sentMs);
  }

  /** Contenders that have split the votes pause, or they would split them again. */
  #soonMs({ votes }: AttemptFailure): number {
    const hadVote = votes.some((vote) => vote?.kind === "granted");
    const { wait } = this.#request;
    const random = (): number => this.#context.entropy.unit();
    return hadVote ? soonMs({ wait, random }) : 0;
  }

  #askNow(nowMs: number): void {
    if (this.#queued !== undefined) this.#queued.tryNow(nowMs);
    else this.ask(nowMs, this.#attempts.isJoiner ? JOINER : NEWCOMER);
  }

  #onDue(nowMs: number): void {
    if (this.#queued !== undefined) this.#queued.onDue(nowMs);
    else this.#askNow(nowMs);
  }

  /** @param failure of the previous attempt, if there was one */
  #enterQueue(nowMs: number, failure?: AttemptFailure): void {
    const [attempts, timer] = [this.#attempts, this.#timer];
    this.#queued = new QueuedAcquire(this.#context, this.#request, attempts, timer, this);
    this.#queued.begin(nowMs, failure);
  }

  /** @param mode any but `waiter` leaves the nodes' queues, and their notifications, to others */
  ask(nowMs: number, mode: AcquireMode, urgency?: Urgency): void {
    if (this.#isOver) return;
    const { wait, deadlineMs } = this.#request;
    this.#timer.stop();
    const isPatient = this.attemptCount > 0 && nowMs < deadlineMs;
    this.#attempts.begin(mode, nowMs, this.#queued?.turns, {
      urgency: urgency ?? (isPatient ? "patient" : "plain"),
      contest: this.#attempts.contestOf(mode),
      // A call that does not wait makes its attempt, however many waiters are ahead.
      ...((wait.waitMs > 0 || this.#isContending) && { beginUntilMs: this.#beginUntilMs(nowMs) }),
    });
  }

  /** It asks again because the nodes were split. */
  get #isContending(): boolean {
    return this.#lastFailure?.askAgainInMs !== undefined;
  }

  #beginUntilMs(nowMs: number): number {
    const untilMs = this.#isContending ? this.#attempts.contestUntilMs : 0;
    return Math.max(this.#request.deadlineMs, untilMs, nowMs + 1);
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
