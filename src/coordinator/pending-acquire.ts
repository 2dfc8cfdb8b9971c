import type { LockKind } from "../protocol/lock-kind.js";
import { AcquireAttempts } from "./acquire-attempts.js";
import { JOINER, NEWCOMER, type AcquireMode } from "./acquire-mode.js";
import type { AcquireRequest } from "./acquire-request.js";
import type { Urgency } from "./admission.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { AttemptListener, AttemptOutcome } from "./attempt.js";
import type { Context } from "./context.js";
import type { Lease } from "./lease.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Pending } from "./local-competitors.js";
import {
  nextMove,
  type Happened,
  type Known,
  type NextMove,
  type WaitSettings,
} from "../protocol/next-move.js";
import { QueuedAcquire, type Waiting } from "./queued-acquire.js";
import type { Sleeper } from "./schedule.js";

/** How an acquire ended: the last attempt's outcome, or the caller's (or the manager's) abort. */
export type AcquireOutcome = AttemptOutcome | { readonly kind: "aborted" };

/**
 * An acquire in progress: attempts until one is granted, the time is up, or it is aborted. What it does next is decided
 * by `protocol/next-move`; here it is done.
 */
export class PendingAcquire implements AttemptListener, Pending, Known, Waiting, Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  /** When it means to ask, lease clock, ms. It may be woken earlier. */
  askAtMs = 0;
  /** The last time that it was told that somebody holds the name. */
  refusal: AttemptFailure | undefined;
  lastFailure: AttemptFailure | undefined;

  readonly #context: Context;
  readonly #request: AcquireRequest;
  readonly #settle: (outcome: AcquireOutcome, pendingAcquire: PendingAcquire) => void;
  readonly #onSetback: ((failure: AttemptFailure) => void) | undefined;
  readonly #attempts: AcquireAttempts;
  /** When it began to wait. */
  #queued: QueuedAcquire | undefined;
  #isOver = false;

  /**
   * @param settle is called once, not before {@link PendingAcquire.begin} returns
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
  }

  /** Asks at once, or waits. It is settled later, never from within this call. */
  begin(): this {
    const { keys, wait, startedMs } = this.#request;
    const { waitQueues } = this.#context;
    const isWaitedFor = waitQueues.of(keys) !== undefined;
    const isContended =
      isWaitedFor || (wait.waitMs > 0 && waitQueues.contended.has(keys, startedMs));
    const move = nextMove({ what: "begun", isWaitedFor, isContended }, this, startedMs);
    if (move.move === "giveUp") this.#context.clock.defer(() => this.#giveUp(move.failure));
    else this.#perform(move, startedMs);
    return this;
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

  get wait(): WaitSettings {
    return this.#request.wait;
  }

  get deadlineMs(): number {
    return this.#request.deadlineMs;
  }

  get nodeTimeoutMs(): number {
    return this.#request.settings.nodeTimeoutMs;
  }

  get nodeCount(): number {
    return this.#context.nodes.length;
  }

  get isUnderWay(): boolean {
    return this.#attempts.isUnderWay;
  }

  get isLost(): boolean {
    return this.#attempts.isLost;
  }

  get isAsking(): boolean {
    return this.#attempts.isAsking;
  }

  get isAskingForItself(): boolean {
    return this.isAsking && !this.isJoiner;
  }

  get isJoiner(): boolean {
    return this.#attempts.isJoiner;
  }

  get isOwned(): boolean {
    return this.keys.joinOnly !== undefined;
  }

  get isQueued(): boolean {
    return this.#queued !== undefined;
  }

  get isFirst(): boolean {
    return this.#queued?.isFirst === true;
  }

  get isLetIn(): boolean {
    return this.#queued?.isLetIn === true;
  }

  get isHeard(): boolean {
    return this.#context.waitQueues.inbox?.isHeard === true;
  }

  get isRefreshed(): boolean {
    return this.keys.queue.isRefreshed;
  }

  get isInPlace(): boolean {
    return this.#queued?.isInPlace === true;
  }

  get isItsTurn(): boolean {
    return this.#queued?.isItsTurn === true;
  }

  get isTurnSeen(): boolean {
    return this.#queued?.isTurnSeen === true;
  }

  get mayAskInTurn(): boolean {
    return this.#queued?.mayAskInTurn(this.#context.clock.now()) === true;
  }

  get knownFailure(): AttemptFailure | undefined {
    return this.#queued?.knownFailure;
  }

  random(): number {
    return this.#context.entropy.unit();
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
    const { isUnderWay, isAsking } = this.#attempts;
    if (isUnderWay && this.keys.lockKeys.includes(lockKey)) this.on({ what: "stolen", isAsking });
  }

  /** Called by a later request that steals the name. */
  whenDecided(lockKey: string, callback: () => void): boolean {
    const { isUnderWay, isLost, isResting } = this.#attempts;
    const isAsking = (isUnderWay && !isLost) || this.#queued?.isLetIn === true;
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
      this.on({ what: "unasked", failure: outcome }, nowMs);
    } else if (this.isJoiner && this.#queued !== undefined) {
      this.#queued.remember(outcome);
      this.on({ what: "joinFailed", failure: outcome }, nowMs);
    } else this.#onFailure(outcome, nowMs);
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
    this.lastFailure = failure;
    if (failure.kind === "refused") this.refusal = failure;
    this.#remember(failure);
    const isWithinReach = this.#attempts.isWithinReach(failure);
    const move = nextMove({ what: "failed", failure, isWithinReach }, this, nowMs);
    if (move.move !== "giveUp") this.#onSetback?.(failure);
    this.#perform(move, nowMs);
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

  /** Called by the schedule. */
  wake(nowMs: number): void {
    this.on({ what: "due" }, nowMs);
  }

  on(happened: Happened, nowMs = this.#context.clock.now()): void {
    if (this.#isOver) return;
    const move = nextMove(happened, this, nowMs);
    const queued = this.#queued;
    if (happened.what === "turn" && move.move === "askAt" && queued) queued.isTurnSeen = true;
    const isAnew = this.isUnderWay && move.move !== "goOn";
    if (isAnew) this.#attempts.abort();
    this.#perform(move, nowMs);
    if (isAnew) this.#attempts.tellDecided();
  }

  #perform(move: NextMove, nowMs: number): void {
    const queued = this.#queued;
    switch (move.move) {
      case "ask":
        if (move.isCalled === true) queued?.takeTurn(nowMs);
        if (move.as === "waiter") queued?.tryNow(nowMs);
        else this.ask(nowMs, move.as === "joiner" ? JOINER : NEWCOMER);
        break;
      case "askAt":
        if (move.isCalled === true) queued?.takeTurn(nowMs);
        if (move.leavesPlace === true) queued?.leavePlace();
        this.#sleepUntil(move.atMs, move.isLate);
        break;
      case "wait":
        this.#waitUntil(move.untilMs);
        break;
      case "queue":
        this.#queue(nowMs, move.failure);
        break;
      case "giveUp":
        this.#giveUp(move.failure);
        break;
      case "goOn":
        break;
    }
  }

  #sleepUntil(atMs: number, isLate = false): void {
    this.askAtMs = atMs;
    this.#context.schedule.set(this, isLate ? atMs : Math.min(atMs, this.deadlineMs));
  }

  /** In its place. Where it asks later than it is woken, it finds that out then. */
  #waitUntil(untilMs: number): void {
    if (this.isInPlace) {
      this.askAtMs = untilMs;
      if (untilMs < this.wakeAtMs) this.#context.schedule.set(this, untilMs);
    } else {
      this.#sleepUntil(untilMs);
      this.#queued?.keepPlace();
    }
  }

  /** @param failure of the previous attempt, if there was one */
  #queue(nowMs: number, failure: AttemptFailure | undefined): void {
    if (this.#queued !== undefined && failure !== undefined) {
      this.#queued.remember(failure);
      this.#queued.letPass(failure);
      this.on({ what: "queued", failure }, nowMs);
    } else {
      this.#queued = new QueuedAcquire(this.#context, this.#request, this);
      this.#queued.remember(failure);
      this.on({ what: "entered", failure }, nowMs);
    }
  }

  /** @param mode any but `waiter` leaves the nodes' queues, and their notifications, to others */
  ask(nowMs: number, mode: AcquireMode, urgency?: Urgency): void {
    if (this.#isOver) return;
    const { wait, deadlineMs } = this.#request;
    this.#wakeNoMore();
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
    return this.lastFailure?.askAgainInMs !== undefined;
  }

  #beginUntilMs(nowMs: number): number {
    const untilMs = this.#isContending ? this.#attempts.contestUntilMs : 0;
    return Math.max(this.#request.deadlineMs, untilMs, nowMs + 1);
  }

  hurry(): void {
    this.#attempts.hurry();
  }

  rollBack(): void {
    this.#attempts.abort();
  }

  /** It asks now or never again. */
  #wakeNoMore(): void {
    this.#context.schedule.remove(this);
    this.#queued?.leavePlace();
  }

  #giveUp(failure: AttemptFailure): void {
    if (!this.#isOver) this.#end(failure);
  }

  #end(outcome: AcquireOutcome): void {
    this.#isOver = true;
    if (outcome.kind !== "granted") this.#attempts.giveUp();
    this.#wakeNoMore();
    this.#queued?.leave(outcome.kind === "granted" ? outcome.lease : undefined);
    this.#settle(outcome, this);
  }
}
