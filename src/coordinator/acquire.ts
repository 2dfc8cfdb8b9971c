import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { LockKind } from "../protocol/lock-kind.js";
import {
  countsWaiters,
  entryOf,
  isMadeAgain,
  mayBeginByGrant,
  nextMove,
  restUntilMs,
  type Happened,
  type Known,
  type NextMove,
  type Standing,
  type Urgency,
  type WaitSettings,
} from "../protocol/next-move.js";
import { turnTextOf, type Waiter } from "../protocol/node-queue.js";
import type { OwnWaiters } from "../protocol/queue-end.js";
import { isContestOpen } from "../protocol/split.js";
import { JOINER, NEWCOMER, PREEMPT, type AcquireMode } from "./acquire-mode.js";
import { Attempt, type AttemptListener, type AttemptOutcome } from "./attempt.js";
import type { Contest } from "./contest.js";
import type { Context } from "./context.js";
import { Gathering, partSettings, unobserved } from "./gathering.js";
import type { Lease } from "./lease.js";
import type { LeaseSettings } from "./lease-settings.js";
import { PermitPicker } from "./permit-picker.js";
import type { DatedVote } from "./ports.js";
import { Preemption, type LocalCompetitors, type Pending } from "./preemption.js";
import type { Sleeper } from "./schedule.js";
import { WaitPlace, type AcquireRequest, type Waiting } from "./wait-place.js";

/** How an acquire ended: the last attempt's outcome, or the caller's (or the manager's) abort. */
export type AcquireOutcome = AttemptOutcome | { readonly kind: "aborted" };

/** What is acquired, and for how long that is tried. */
export interface Wanted {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
  readonly wait: WaitSettings;
  /**
   * How it stands to others that want the name; by default it waits for its turn.
   *
   * - `preempt`: it takes an exclusive lock of one name, whoever holds it
   * - `adopt`: it takes over a lock that its holder in another process, the giver, has given up for it: one attempt, in
   *   which a node's vote counts only if the giver's key was still there at that step. Each node thus serves one of several
   *   contenders, and at most one reaches a quorum; it then knows that no other client held the lock in between. Its
   *   validity counts from this attempt's own first send. A failed attempt rolls back what it took; where that was the
   *   giver's, the name stays closed for what was left of the giver's minimum hold, `minHoldMs`. Nothing is restored
   *   for the giver: a restored key would prove a lock that had a gap. Nor need the nodes be sent the giver's token: it is
   *   stored on a quorum, which shares a node with the one that this attempt needs
   */
  readonly standing?:
    | { readonly as: "preempt"; readonly competitors: LocalCompetitors }
    | { readonly as: "adopt"; readonly giverId: string; readonly minHoldMs?: number }
    | undefined;
  /** A pause before it begins, ms. */
  readonly delayMs?: number;
  /** Of one for a set that waits for its names: the place of that. */
  readonly ticket?: number;
}

/**
 * An acquire in progress: attempts, one at a time, until one is granted, the time is up, or it is aborted. What it does
 * next is decided by `protocol/next-move`; here it is done.
 */
export class Acquire implements AttemptListener, Pending, Sleeper, Waiting {
  wakeAtMs = 0;
  heapIndex = -1;
  /** What it wants. */
  readonly keys: LockKind;
  /** It was aborted because another request of this process steals the name. */
  isPreempted = false;

  readonly #context: Context;
  readonly #state: State;
  /** How it asks while it is in no queue. */
  readonly #unqueued: AcquireMode = NEWCOMER;
  /** Of one that steals the name: those of its process that hold or want it. */
  readonly #preemption: Preemption | undefined;
  readonly #settle: (outcome: AcquireOutcome) => void;
  readonly #onSetback: ((failure: AttemptFailure) => void) | undefined;
  /** Of a semaphore: which permit to ask for. */
  readonly #picker: PermitPicker | undefined;
  /** Of a set: how it waits for its names, once it does. */
  #gathering: Gathering | undefined;
  /** Called when the nodes have decided, or their decision no longer matters. */
  readonly #onDecided: (() => void)[] = [];
  /** When the last attempt was sent, lease clock, ms. */
  #sentMs = 0;
  #isDelayed: boolean;
  #isOver = false;

  /**
   * @param settle is called once, not before {@link Acquire.begin} returns
   * @param onSetback called for every failed attempt except the last
   */
  constructor(
    context: Context,
    { keys, settings, wait, standing, delayMs = 0, ticket }: Wanted,
    settle: (outcome: AcquireOutcome) => void,
    onSetback?: (failure: AttemptFailure) => void,
  ) {
    const startedMs = context.clock.now() + delayMs;
    const deadlineMs = startedMs + wait.waitMs;
    this.keys = keys;
    this.#context = context;
    if (standing?.as === "preempt") {
      this.#preemption = new Preemption(this, standing.competitors);
      this.#unqueued = PREEMPT;
    } else if (standing?.as === "adopt") {
      this.#unqueued = {
        as: "adoption",
        previousId: standing.giverId,
        minHoldMs: standing.minHoldMs ?? 0,
      };
    }
    const request = { keys, settings, wait, startedMs, deadlineMs, ticket };
    this.#state = new State(context, request, standing?.as ?? "wait", this.#preemption);
    this.#isDelayed = delayMs > 0;
    this.#settle = settle;
    this.#onSetback = onSetback;
    if (keys.permits !== undefined) this.#picker = new PermitPicker(context, keys, keys.permits);
  }

  /** Asks at once, or waits. It is settled later, never from within this call. */
  begin(nowMs = this.#state.request.startedMs): void {
    if (this.#isDelayed) return this.#wakeAt(nowMs);
    const { keys } = this;
    const { request } = this.#state;
    const { waitMs } = request.wait;
    const { waitQueues } = this.#context;
    const isWaitedFor = waitQueues.of(keys)?.isAheadOf(request, nowMs) === true;
    this.#state.wasFirst = !isWaitedFor;
    const isContended = isWaitedFor || (waitMs > 0 && waitQueues.contended.has(keys, nowMs));
    this.#preemption?.begin();
    const move = nextMove({ what: "begun", isWaitedFor, isContended }, this.#state, nowMs);
    if (move.move === "giveUp") this.#context.clock.defer(() => this.#end(move.failure));
    else if (move.move !== "goOn" && !this.#isOver) this.#perform(move, nowMs);
  }

  /** Attempts begun so far. */
  get attemptCount(): number {
    return this.#state.attemptCount;
  }

  /** How long it has been trying, ms. */
  get waitedMs(): number {
    return this.#context.clock.now() - this.#state.request.startedMs;
  }

  /** Read by its place in the wait queue. */
  get attempt(): Attempt | undefined {
    return this.#state.attempt;
  }

  /** Read by a later request that steals the name. */
  get askedMs(): number {
    return this.attempt?.hasBegun === true ? this.#sentMs : Number.POSITIVE_INFINITY;
  }

  /** Settles as `aborted` immediately; what was sent is rolled back afterwards. */
  abort(): void {
    if (this.#isOver) return;
    const { attempt, place } = this.#state;
    // What the place releases is not released twice; nor does the attempt enter the queues again.
    if (attempt?.leaveTo(place?.releasing) !== true) this.#rollBack();
    this.#end({ kind: "aborted" });
  }

  /** It is settled, or will be. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It steals the name, whoever holds it. */
  get preempts(): boolean {
    return this.#preemption !== undefined;
  }

  /** Rolls back what is in flight, and asks again after the request that steals the name, if it has time left. */
  yieldTo(lockKey: string, heir?: Preemption): void {
    if (!this.keys.lockKeys.includes(lockKey)) return;
    this.#preemption?.leaveTo(heir);
    this.on({ what: "stolen" });
    if (!this.#isOver) this.#state.place?.yield();
  }

  /** Called by a later request that steals the name. */
  whenDecided(lockKey: string, callback: () => void): boolean {
    const { attempt, place } = this.#state;
    const isAsking = attempt?.isLost === false || place?.isLetIn === true;
    const isResting = attempt !== undefined && this.#context.admission.isResting(attempt);
    if (
      this.#state.standing !== "wait" ||
      !isAsking ||
      isResting ||
      !this.keys.lockKeys.includes(lockKey)
    ) {
      return false;
    }
    this.#onDecided.push(callback);
    return true;
  }

  /** Called by its place in the wait queue. */
  receive(lease: Lease): void {
    this.#rollBack();
    this.#end({ kind: "granted", lease });
  }

  /** Called by its place in the wait queue. */
  onNodeGrant(index: number, dated: DatedVote): void {
    const { place, request } = this.#state;
    if (this.#isOver || place?.waiter === undefined) return;
    const nowMs = this.#context.clock.now();
    let { attempt } = this.#state;
    // One that is rolled back only waits for its reason; one out of turn, and one that has not begun, have another owner.
    if (attempt?.mayBeGranted(place.waiter) !== true) {
      if (!mayBeginByGrant(this.#state, nowMs)) return;
      this.#rollBack();
      this.#context.schedule.remove(this);
      place.leavePlace();
      place.endRest();
      const mode: AcquireMode = { as: "waiter", waiter: place.waiter };
      const { keys, settings } = request;
      attempt = new Attempt(this.#context, { keys, settings, mode, contends: false }, this);
      this.#state.isJoiner = false;
      this.#state.attempt = attempt;
    }
    attempt.onNodeGrant(index, dated, nowMs, request.deadlineMs);
  }

  /** Called by the attempt. */
  onRollback(): Waiter | undefined {
    return this.#state.place?.renewOwner();
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    if (!this.#isDelayed) return this.on({ what: "due" }, nowMs);
    this.#isDelayed = false;
    this.begin(nowMs);
  }

  /** Something has happened: does what is to be done next. */
  on(happened: Happened, nowMs = this.#context.clock.now()): void {
    if (this.#isOver) return;
    const { attempt, place } = this.#state;
    const move = nextMove(happened, this.#state, nowMs);
    if (move.move === "goOn") return;
    if (happened.what === "turn" && move.move === "askAt" && place) place.isTurnSeen = true;
    // What is in flight is given up for it.
    this.#rollBack();
    this.#perform(move, nowMs);
    if (attempt !== undefined) this.#tellDecided();
  }

  #perform(move: Exclude<NextMove, { move: "goOn" }>, nowMs: number): void {
    const { place, contest } = this.#state;
    switch (move.move) {
      case "ask":
        if (move.isCalled === true) place?.takeTurn(nowMs);
        if (move.as === "waiter" && place !== undefined) this.#askInTurn(place, nowMs);
        else this.#ask(move.as === "joiner" ? JOINER : this.#unqueued, nowMs);
        break;
      case "askAt":
        if (move.isCalled === true) place?.takeTurn(nowMs);
        if (move.leavesPlace === true) place?.leavePlace();
        if (move.isLastAsk === true && contest !== undefined) contest.isLastAsk = true;
        this.#sleepUntil(move.atMs, move.isLate);
        break;
      case "wait":
        this.#waitUntil(move.untilMs);
        break;
      case "gather":
        this.#gather(move.lockKey, nowMs);
        break;
      case "queue":
        this.#queue(nowMs, move.failure);
        break;
      case "yield":
        this.isPreempted = true;
        this.#end({ kind: "aborted" });
        break;
      case "giveUp":
        this.#end(move.failure);
        break;
    }
  }

  #sleepUntil(atMs: number, isLate = false): void {
    this.#state.askAtMs = atMs;
    this.#wakeAt(isLate ? atMs : Math.min(atMs, this.#state.request.deadlineMs));
  }

  #wakeAt(atMs: number): void {
    this.#state.wakeAtMs = atMs;
    this.#context.schedule.set(this, atMs);
  }

  /** In its place. Where it asks later than it is woken, it finds that out then. */
  #waitUntil(untilMs: number): void {
    const { place, wakeAtMs } = this.#state;
    if (place?.isInPlace === true) {
      this.#state.askAtMs = untilMs;
      if (untilMs < wakeAtMs) this.#wakeAt(untilMs);
    } else {
      this.#sleepUntil(untilMs);
      place?.keepPlace();
    }
  }

  /** @param failure of the previous attempt, if there was one */
  #queue(nowMs: number, failure: AttemptFailure | undefined): void {
    const { place, request } = this.#state;
    if (place !== undefined && failure !== undefined) {
      place.remember(failure, this.#sentMs);
      place.letPass(failure, () => restUntilMs(failure, this.#state, nowMs));
      if (!place.isFirst) this.#gathering?.stop();
      this.on({ what: "queued", failure }, nowMs);
    } else {
      const entered = new WaitPlace(this.#context, request, this);
      this.#state.place = entered;
      entered.enter(failure !== undefined);
      if (failure !== undefined) entered.remember(failure, this.#sentMs);
      this.on({ what: "entered", failure }, nowMs);
    }
  }

  #gather(lockKey: string, nowMs: number): void {
    this.#gathering ??= this.#newGathering();
    const isAsking = this.#gathering?.seek(lockKey) === true;
    if (!this.#isOver) this.#sleepUntil(isAsking ? nowMs : this.#state.request.deadlineMs);
  }

  #newGathering(): Gathering | undefined {
    const { place, request } = this.#state;
    const parts = this.keys.parts?.();
    if (parts === undefined || place === undefined) return undefined;
    const { deadlineMs } = request;
    const settings = partSettings(request.settings);
    const { maxWaiters: _, ...wait } = { ...request.wait, fair: true };
    const context = unobserved(this.#context);
    return new Gathering(
      this.#context,
      {
        request,
        ask: (keys, settle) => {
          const waitMs = deadlineMs - context.clock.now();
          const wanted = { keys, settings, wait: { ...wait, waitMs }, ticket: place.ticket };
          return new Acquire(context, wanted, (outcome) => {
            if (outcome.kind !== "aborted")
              settle(outcome.kind === "granted" ? outcome.lease : undefined);
          });
        },
        onPart: (isHad) => this.on({ what: "part", isHad }),
      },
      parts,
    );
  }

  #askInTurn(place: WaitPlace, nowMs: number): void {
    const { waiter } = place;
    const isCalled = place.forgetTurns();
    if (waiter === undefined) this.#ask(NEWCOMER, nowMs);
    else this.#ask({ as: "waiter", waiter }, nowMs, isCalled ? "called" : undefined);
  }

  /** @param mode any but `waiter` leaves the nodes' queues, and their notifications, to others */
  #ask(mode: AcquireMode, nowMs: number, urgency?: Urgency): void {
    const { place, request } = this.#state;
    this.#context.schedule.remove(this);
    place?.leavePlace();
    place?.endRest();
    const entry = entryOf(this.#state, nowMs);
    this.#state.isJoiner = mode.as === "joiner";
    // Where nodes notify it, their queues decide whose turn it is, and it gives up a split.
    const contends = mode.as === "newcomer" || (mode.as === "waiter" && !this.#state.isHeard);
    const asked = {
      keys: this.#picker?.next(place?.turns, nowMs) ?? request.keys,
      settings: request.settings,
      mode,
      contends,
      contest: contends ? this.#state.contest : undefined,
      countsWaiters: countsWaiters(this.#state, this.#state.attemptCount),
      partIds: this.#gathering?.ask(),
      beginUntilMs: entry.beginUntilMs,
    };
    const attempt = new Attempt(this.#context, asked, this);
    this.#state.attempt = attempt;
    this.#context.admission.enter(attempt, urgency ?? entry.urgency);
  }

  /** Called by the attempt. */
  onBegin(nowMs: number): void {
    this.#state.attemptCount++;
    this.#sentMs = nowMs;
    // A listener that is notified of its loss may do anything, such as close the manager, which aborts the attempt.
    this.#preemption?.preemptOwn();
  }

  /** Called by the attempt. */
  onSent(): void {
    this.#preemption?.onAsked();
  }

  /** Called by the attempt. */
  onOutcome(outcome: AttemptOutcome, nowMs: number): void {
    const { attempt, isJoiner, place, standing } = this.#state;
    const isRefused = outcome.kind !== "granted" && attempt !== undefined;
    // What an adoption takes over was given up for one attempt.
    if (isRefused && standing !== "adopt" && isMadeAgain(outcome, attempt.againCount)) {
      const again = attempt.again();
      this.#state.attempt = again;
      this.#context.admission.enter(again, "plain");
      return;
    }
    this.#state.attempt = undefined;
    if (outcome.kind === "granted") {
      const isContended = outcome.lease.run.isWaitedFor || this.#state.attemptCount > 1;
      this.#context.waitQueues.contended.onGranted(this.keys, isContended, nowMs);
      return this.#end(outcome);
    }
    this.#state.contest = outcome.isContested ? attempt?.contest : undefined;
    if (outcome.kind === "queued") this.on({ what: "unasked", failure: outcome }, nowMs);
    else if (isJoiner && place !== undefined) {
      place.remember(outcome, this.#sentMs);
      this.on({ what: "joinFailed", failure: outcome }, nowMs);
    } else this.#onFailure(outcome, nowMs);
    this.#tellDecided();
  }

  #onFailure(failure: AttemptFailure, nowMs: number): void {
    this.#state.lastFailure = failure;
    if (failure.kind === "refused") this.#state.refusal = failure;
    this.#remember(failure, nowMs);
    this.#state.place?.turns?.keepTurns(this, failure.votes);
    const isFree = this.#picker?.onFailure(failure) ?? this.#isAdmitted(failure);
    const move = nextMove({ what: "failed", failure, isFree }, this.#state, nowMs);
    if (move.move === "goOn") return;
    const isQuick = "isQuick" in move && move.isQuick;
    this.#state.quickCount = isQuick ? this.#state.quickCount + 1 : 0;
    if (isQuick) this.#state.contest = undefined;
    else this.#picker?.forget();
    if (move.move !== "giveUp") this.#onSetback?.(failure);
    this.#perform(move, nowMs);
  }

  /**
   * Those who wait for the name in this process need not find that out themselves. A joiner and an adoption ask
   * something else; and beside the queue there may be owners and readers, who are granted what others are refused.
   */
  #remember(failure: AttemptFailure, nowMs: number): void {
    const { isJoiner, place, request, contest } = this.#state;
    const mayBeGranted = contest !== undefined && isContestOpen(contest, nowMs);
    const asksElse = isJoiner || this.#state.standing === "adopt";
    if (asksElse || failure.isOutrun || mayBeGranted) return;
    if (place === undefined && failure.kind !== "unreachable") return;
    const waitQueue = this.#context.waitQueues.of(this.keys);
    // What a call beside the queue still learns is not for those in it.
    waitQueue?.failures.add(place === undefined ? { ...failure } : failure, request, this.#sentMs);
  }

  /** The name is held only by those who admit it, and whose attempts were faster. */
  #isAdmitted({ isOutrun }: AttemptFailure): boolean {
    const { queue, joinOnly } = this.keys;
    return isOutrun && (queue.admitsOthers || joinOnly !== undefined);
  }

  /** Of what is in flight. It may ask anew. */
  #rollBack(): void {
    const { attempt } = this.#state;
    if (attempt === undefined) return;
    if (this.#preemption === undefined) attempt.abort();
    else this.#preemption.owe(attempt.giveUp());
    this.#state.attempt = undefined;
    this.#picker?.letGo();
  }

  #end(outcome: AcquireOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (outcome.kind !== "granted") this.#picker?.letGo();
    this.#context.schedule.remove(this);
    const { place } = this.#state;
    place?.leavePlace();
    place?.leave(outcome.kind === "granted" ? outcome.lease : undefined);
    this.#gathering?.stop();
    this.#preemption?.pay();
    this.#settle(outcome);
    this.#tellDecided();
  }

  #tellDecided(): void {
    for (const callback of this.#onDecided.splice(0)) callback();
  }
}

/** All that an acquire knows, as `protocol/next-move` reads it. */
class State implements Known {
  readonly request: AcquireRequest;
  readonly nodeCount: number;
  attemptCount = 0;
  readonly standing: Standing;
  attempt: Attempt | undefined;
  /** The last attempt found the nodes split. */
  contest: Contest | undefined;
  isJoiner = false;
  wasFirst = false;
  place: WaitPlace | undefined;
  wakeAtMs = 0;
  askAtMs = 0;
  quickCount = 0;
  lastFailure: AttemptFailure | undefined;
  refusal: AttemptFailure | undefined;
  readonly #context: Context;
  readonly #preemption: Preemption | undefined;

  constructor(
    context: Context,
    request: AcquireRequest,
    standing: Standing,
    preemption: Preemption | undefined,
  ) {
    this.#context = context;
    this.#preemption = preemption;
    this.standing = standing;
    this.request = request;
    this.nodeCount = context.nodes.length;
  }

  get isHeard(): boolean {
    return this.#context.waitQueues.inbox?.isHeard === true;
  }

  ownWaiters(lockKey = this.request.keys.waitQueueKey): OwnWaiters {
    const { waitQueues } = this.#context;
    const forName = [...(waitQueues.of({ waitQueueKey: lockKey }) ?? [])];
    const alike = [...(waitQueues.of(this.request.keys) ?? [])];
    const places = new Set(forName.flatMap(({ waiter }) => (waiter ? turnTextOf(waiter) : [])));
    // A set and its waiter for the name have one ticket.
    const tickets = new Set([...forName, ...alike].map(({ ticket }) => ticket));
    return { count: tickets.size, placeCount: places.size };
  }

  get undecidedMs(): number | undefined {
    return this.#preemption?.undecidedMs;
  }

  random(): number {
    return this.#context.entropy.unit();
  }
}
