import { MAX_TURN_TRIES_A_SECOND, turnMs } from "../protocol/backoff.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Waiter } from "../protocol/waiter.js";
import { quorumSize } from "../protocol/verdict.js";
import { Allowance } from "./allowance.js";
import type { Urgency } from "./admission.js";
import { NEWCOMER, type AcquireMode } from "./acquire-mode.js";
import type { AttemptFailure, AttemptOutcome } from "./attempt.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { Pending } from "./local-competitors.js";
import type { HandOver } from "./hand-over.js";
import type { QueuedAcquire, WaitQueue } from "./wait-queue.js";
import { Pauses, type WaitSettings } from "./pauses.js";
import { PendingAttempt, type PendingAttemptListener } from "./pending-attempt.js";
import type { QueuedPlace } from "./places.js";
import type { Sleeper } from "./schedule.js";
import { SlotPicker } from "./slot-picker.js";

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
export class PendingAcquire implements PendingAttemptListener, QueuedAcquire, Pending, Sleeper {
  attemptCount = 0;
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: Context;
  readonly #keys: LockKind;
  readonly #settings: LeaseSettings;
  readonly #wait: WaitSettings;
  readonly #pauses: Pauses;
  readonly #settle: (outcome: AcquireOutcome, pendingAcquire: PendingAcquire) => void;
  readonly #onSetback: ((failure: AttemptFailure) => void) | undefined;
  readonly #startedMs: number;
  #attempt: PendingAttempt | undefined;
  readonly #onDecided: (() => void)[] = [];
  /** When the last attempt was sent, lease clock, ms. */
  #sentMs = 0;
  /** Some nodes have said since then that it is our turn. */
  #isTurnSeen = false;
  /** While it is refreshed: ours in the queues of the nodes. */
  #place: QueuedPlace | undefined;
  /** When to ask next, lease clock, ms: not before it, though it may be woken earlier. */
  #askAtMs = 0;
  #turnTries: Allowance | undefined;
  #waitQueue: WaitQueue | undefined;
  #waiter: Waiter | undefined;
  /** A reader of this process has it: we may ask although we are not the first in line. */
  #isLetIn = false;
  /** The attempt under way asks only where our owner is in; and how the last one of these failed. */
  #isAgain = false;
  /** How its own attempt failed, of one that was first in line and has let others pass. */
  #failureBefore: AttemptFailure | undefined;
  #againFailure: AttemptFailure | undefined;
  #lastFailure: AttemptFailure | undefined;
  #isOver = false;
  /** Of a semaphore: which permit to ask for. */
  readonly #picker: SlotPicker | undefined;

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
    this.#context = context;
    this.#keys = keys;
    this.#settings = settings;
    this.#wait = wait;
    this.#pauses = new Pauses(context, wait);
    this.#settle = settle;
    this.#onSetback = onSetback;
    this.#startedMs = context.clock.now();
    if (keys.slots !== undefined) this.#picker = new SlotPicker(context, keys, keys.slots);
    const waitQueue = context.waitQueues.of(keys);
    if (waitQueue === undefined && !wait.fair) this.#try(this.#startedMs);
    else if (wait.waitMs > 0) this.#enterQueue(this.#startedMs);
    else if (waitQueue === undefined || !wait.fair) this.#try(this.#startedMs);
    else if (this.#isOwned) this.#askAgain(this.#startedMs);
    else context.clock.defer(() => this.#fail(this.#notAsked));
  }

  /** What it wants. */
  get keys(): LockKind {
    return this.#keys;
  }

  get waiter(): Waiter | undefined {
    return this.#waiter;
  }

  get name(): string {
    return this.#keys.name;
  }

  /** Its owner may be in already. */
  get #isOwned(): boolean {
    return this.#keys.joinOnly !== undefined;
  }

  /** How long it has been trying, ms. */
  get waitedMs(): number {
    return this.#context.clock.now() - this.#startedMs;
  }

  /** Settles as `aborted` at once; what was sent is rolled back behind it. */
  abort(): void {
    if (this.#isOver) return;
    this.#attempt?.abort();
    this.#end({ kind: "aborted" });
    this.#tellDecided();
  }

  /** What is on its way is taken back, and asked anew behind the one who steals the name. */
  yieldTo(lockKey: string): void {
    if (this.#attempt === undefined || !this.#keys.lockKeys.includes(lockKey)) return;
    this.#attempt.abort();
    this.#attempt = undefined;
    this.#sleep(this.#context.clock.now());
    this.#tellDecided();
  }

  /** Called by one who steals the name, and came later. */
  whenDecided(lockKey: string, callback: () => void): boolean {
    const isAsking = this.#attempt !== undefined || this.#isLetIn;
    if (!isAsking || this.#attempt?.isResting === true || !this.#keys.lockKeys.includes(lockKey)) {
      return false;
    }
    this.#onDecided.push(callback);
    return true;
  }

  /** Read by one who steals the name, and came later. */
  get askedMs(): number {
    return this.#attempt?.hasBegun === true ? this.#sentMs : Number.POSITIVE_INFINITY;
  }

  #tellDecided(): void {
    for (const callback of this.#onDecided.splice(0)) callback();
  }

  /** Called by the attempt. */
  onBegin(nowMs: number): boolean {
    this.attemptCount++;
    this.#sentMs = nowMs;
    return true;
  }

  /** Called by the attempt. */
  onOutcome(outcome: AttemptOutcome): void {
    this.#attempt = undefined;
    this.#goOn(outcome);
    this.#tellDecided();
  }

  #goOn(outcome: AttemptOutcome): void {
    if (outcome.kind === "granted") {
      this.#end(outcome);
      return;
    }
    const nowMs = this.#context.clock.now();
    const waitQueue = this.#waitQueue;
    if (outcome.kind === "queued") {
      this.#end(this.#known ?? this.#lastFailure ?? outcome);
      return;
    }
    if (this.#isAgain && waitQueue !== undefined) {
      // What it is told tells others nothing, nor what they are told it.
      this.#againFailure = outcome;
      if (nowMs >= this.#deadlineMs) this.#fail(outcome);
      else if (waitQueue.first === this) this.#sleep(nowMs);
      else this.#sleepBehind(nowMs, outcome);
      return;
    }
    this.#lastFailure = outcome;
    waitQueue?.onFailure(outcome, this.#sentMs, this.#keys);
    if (this.#mayHaveAnother(outcome, nowMs)) {
      this.#askForAnother(outcome, nowMs);
      return;
    }
    if (nowMs >= this.#deadlineMs || isHopeless(outcome.votes)) {
      this.#end(outcome);
      return;
    }
    this.#onSetback?.(outcome);
    this.#isLetIn = false;
    if (waitQueue === undefined) this.#enterQueue(nowMs, outcome);
    else if (waitQueue.first !== this) this.#sleepBehind(nowMs, outcome);
    else if (this.#keys.queue.rotates && waitQueue.rotate(this)) {
      this.#failureBefore = outcome;
      // Whoever wants only the first name does not wait for the others.
      this.#sleep(this.#deadlineMs);
    } else if (waitQueue.isOurTurn(this.#context.nodes.length) && this.#mayTryInTurn(nowMs)) {
      this.#sleep(nowMs);
    } else if (this.#maySleepInPlace(outcome)) this.#sleepInPlace(outcome, nowMs);
    else this.#sleep(nowMs + this.#pauses.nextMs(outcome, this.attemptCount));
  }

  /** Told by the nodes when the place was refreshed. */
  #onLook(quorumFreeInMs: number | undefined, nowMs: number): void {
    if (quorumFreeInMs === undefined) {
      // An attempt finds out why, and tells it.
      this.#leavePlace();
      this.#sleep(Math.min(this.#askAtMs, nowMs + this.#pauses.backoffMs(this.attemptCount)));
      return;
    }
    this.#askAtMs = nowMs + this.#pauses.lookAgainMs(quorumFreeInMs);
    if (this.#askAtMs < this.wakeAtMs) this.#context.schedule.set(this, this.#askAtMs);
  }

  /** Called by the wait queue. */
  onFirst(isHeldHere: boolean): void {
    if (this.#attempt !== undefined || this.#isOver) return;
    // Its release will put us into the queue of the nodes. Otherwise soon, but not from within this
    // call: where one gives up, all behind it may be about to.
    const pauseMs = isHeldHere ? this.#pauses.nextMs(undefined, this.attemptCount) : 0;
    this.#sleep(this.#context.clock.now() + pauseMs);
  }

  /** Called by the wait queue. */
  onReader(): void {
    if (this.#attempt !== undefined || this.#isOver) return;
    this.#isLetIn = true;
    // All of them from the schedule, in one turn of the event loop: so they share their batches.
    this.#sleep(this.#context.clock.now());
  }

  /** Called by the wait queue. */
  onTurn(isQuorum: boolean): void {
    if (isQuorum) this.#attempt?.hurry();
    if (this.#attempt !== undefined || this.#isOver) return;
    const nowMs = this.#context.clock.now();
    // With fewer nodes it may be in vain, for as long as the others are away: each rollback would
    // give the next turn, and we would ask again and again at the speed of the network. So we would
    // if a quorum said so again and again, and it was not true.
    if (isQuorum && this.#mayTryInTurn(nowMs)) this.#try(nowMs);
    else if (!this.#isTurnSeen) {
      this.#isTurnSeen = true;
      this.#sleep(Math.min(this.wakeAtMs, nowMs + this.#pauses.backoffMs(this.attemptCount)));
    }
  }

  #mayTryInTurn(nowMs: number): boolean {
    this.#turnTries ??= new Allowance(MAX_TURN_TRIES_A_SECOND);
    return this.#turnTries.take(nowMs);
  }

  /** Called by the wait queue. */
  onHeard(): void {
    // A refresh finds out whether it has missed its turn.
    if (this.#attempt !== undefined || this.#place !== undefined || this.#isOver) return;
    // Not all wait queues of the process at once.
    const { soonMs } = this.#pauses;
    this.#sleep(Math.min(this.wakeAtMs, this.#context.clock.now() + soonMs));
  }

  /** Called by the wait queue. */
  isReady(nowMs: number): boolean {
    const isAsking = this.#attempt?.hasBegun === true;
    return this.#keys.queue.handsOver && !isAsking && !this.#isOver && nowMs <= this.#deadlineMs;
  }

  /** Called by the wait queue. */
  takeOver(handOver: HandOver, nowMs: number): void {
    this.#attempt?.abort();
    this.#try(nowMs, handOver);
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    const waitQueue = this.#waitQueue;
    // What the nodes have said meanwhile puts it off: it is still held.
    const isPutOff = this.#place !== undefined && nowMs < this.#askAtMs;
    if (isPutOff && nowMs < this.#deadlineMs) this.#sleep(this.#askAtMs);
    else if (waitQueue === undefined || waitQueue.first === this || this.#isLetIn) this.#try(nowMs);
    else if (this.#isOwned && nowMs < this.#deadlineMs) this.#askAgain(nowMs);
    else {
      // Its time is over. Asking out of turn would say the same as the others have been told.
      const failure = this.#known;
      if (failure !== undefined) this.#fail(failure);
      else if (this.#wait.fair) this.#fail(this.#notAsked);
      else this.#ask(nowMs, NEWCOMER);
    }
  }

  /** How what it waits for was refused since it came, to itself or to others of its wait queue. */
  get #known(): AttemptFailure | undefined {
    const told = this.#waitQueue?.failureSince(this.#startedMs, this.#keys);
    return this.#againFailure ?? told ?? this.#failureBefore;
  }

  /** Another permit is free: it is asked for at once, and a little beyond the end of the wait. */
  #mayHaveAnother(failure: AttemptFailure, nowMs: number): boolean {
    const isAnotherFree = this.#picker?.onFailure(failure) === true;
    if (!isAnotherFree || nowMs >= this.#deadlineMs + this.#settings.nodeTimeoutMs) return false;
    this.#onSetback?.(failure);
    return true;
  }

  /** At once; but those who have split the nodes between them would do so again in step. */
  #askForAnother({ votes }: AttemptFailure, nowMs: number): void {
    if (!votes.some((vote) => vote?.kind === "granted")) this.#try(nowMs);
    else {
      this.#context.schedule.set(this, nowMs + this.#pauses.soonMs);
    }
  }

  get #deadlineMs(): number {
    return this.#startedMs + this.#wait.waitMs;
  }

  get #notAsked(): AttemptFailure {
    const votes = this.#context.nodes.map(() => undefined);
    return { kind: "refused", votes, quorumFreeInMs: Number.POSITIVE_INFINITY };
  }

  /** @param failure of the attempt that went before, if there was one */
  #enterQueue(nowMs: number, failure?: AttemptFailure): void {
    const { waitQueues } = this.#context;
    if (waitQueues.inbox !== undefined) {
      const { id: inbox } = waitQueues.inbox;
      const turn = turnMs(this.#settings.nodeTimeoutMs);
      const { placePrefix } = this.#keys.queue;
      this.#waiter = { inbox, ticket: waitQueues.ticket(), turnMs: turn, placePrefix };
    }
    this.#waitQueue = waitQueues.enter(this.#keys, this);
    if (this.#waitQueue.first !== this) this.#sleepBehind(nowMs, failure);
    else if (failure === undefined) this.#try(nowMs);
    else this.#sleep(nowMs + this.#pauses.queueUpMs(failure, this.attemptCount));
  }

  /** Until those before us are gone; an owner looks whether it is in meanwhile, at first at once. */
  #sleepBehind(nowMs: number, failure?: AttemptFailure): void {
    if (!this.#isOwned) this.#sleep(this.#deadlineMs);
    else if (failure === undefined) this.#askAgain(nowMs);
    else this.#sleep(nowMs + this.#pauses.nextMs(failure, this.attemptCount));
  }

  /** Nodes that hold it for others make a quorum impossible, and we stand in the queues of all that answered. */
  #maySleepInPlace({ kind }: AttemptFailure): boolean {
    const { inbox } = this.#context.waitQueues;
    return kind === "refused" && inbox?.isHeard === true && this.#keys.queue.isRefreshed;
  }

  /** Until it is our turn, or a quorum can be free by expiry: later, where refreshes say so. */
  #sleepInPlace({ quorumFreeInMs }: AttemptFailure, nowMs: number): void {
    this.#sleep(nowMs + this.#pauses.lookAgainMs(quorumFreeInMs));
    if (this.#waiter === undefined) return;
    this.#place = {
      keys: this.#keys,
      waiter: this.#waiter,
      nodeTimeoutMs: this.#settings.nodeTimeoutMs,
      onLook: (...look) => this.#onLook(...look),
    };
    this.#context.waitQueues.places?.add(this.#place);
  }

  /** From now on the attempts keep it, and what was said of it until now is old. */
  #leavePlace(): void {
    if (this.#place !== undefined) this.#context.waitQueues.places?.delete(this.#place);
    this.#place = undefined;
  }

  #sleep(untilMs: number): void {
    this.#askAtMs = untilMs;
    this.#context.schedule.set(this, Math.min(untilMs, this.#deadlineMs));
  }

  #try(nowMs: number, handOver?: HandOver): void {
    if (this.#isOver) return;
    const waitQueue = this.#waitQueue?.first === this ? this.#waitQueue : undefined;
    const isCalled = waitQueue?.isOurTurn(this.#context.nodes.length) === true;
    waitQueue?.forgetTurns();
    this.#isTurnSeen = false;
    const waiter = this.#waiter;
    if (waiter === undefined) this.#ask(nowMs, NEWCOMER);
    else if (handOver === undefined) {
      this.#ask(nowMs, { as: "waiter", waiter }, isCalled ? "called" : undefined);
    } else this.#ask(nowMs, { as: "handOver", waiter, from: handOver }, "atOnce");
  }

  /** Only where its owner is in: what is free is for those who stand before it. */
  #askAgain(nowMs: number): void {
    this.#ask(nowMs, { as: "joiner" });
  }

  /** @param mode unless it waits, it leaves the queue of the nodes, and the turns in it, to others */
  #ask(nowMs: number, mode: AcquireMode, urgency?: Urgency): void {
    this.#context.schedule.remove(this);
    this.#leavePlace();
    this.#isAgain = mode.as === "joiner";
    // A turn is for the first in line only.
    const waitQueue = this.#waitQueue?.first === this ? this.#waitQueue : undefined;
    const keys = this.#picker?.next(waitQueue, nowMs) ?? this.#keys;
    const isPatient = this.attemptCount > 0 && nowMs < this.#deadlineMs;
    this.#attempt = new PendingAttempt(this.#context, keys, this.#settings, this, mode, {
      urgency: urgency ?? (isPatient ? "patient" : "plain"),
      // The one attempt of a call that does not wait is made, however many are before it.
      ...(this.#wait.waitMs > 0 && { beginUntilMs: Math.max(this.#deadlineMs, nowMs + 1) }),
    });
  }

  #fail(failure: AttemptFailure): void {
    if (!this.#isOver) this.#end(failure);
  }

  #end(outcome: AcquireOutcome): void {
    this.#isOver = true;
    if (outcome.kind !== "granted") this.#picker?.letGo();
    this.#context.schedule.remove(this);
    this.#leavePlace();
    if (this.#waitQueue !== undefined) {
      const holder = outcome.kind === "granted" ? outcome.lease : undefined;
      this.#context.waitQueues.leave(this.#waitQueue, this, holder);
    }
    this.#settle(outcome, this);
  }
}

/**
 * Waiting changes nothing where so many nodes hold somebody's data under the key, or are set up
 * wrongly, that no quorum of the others is left.
 */
export function isHopeless(votes: AttemptFailure["votes"]): boolean {
  const hopeless = votes.filter(
    (vote) =>
      (vote?.kind === "refused" && vote.reason === "foreign") ||
      (vote?.kind === "fault" && vote.fault === "misconfigured"),
  );
  return hopeless.length > votes.length - quorumSize(votes.length);
}
