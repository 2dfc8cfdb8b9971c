import { beginningOf } from "../protocol/owner-id.js";
import type { Votes } from "../protocol/operation.js";
import {
  isAnswer,
  isSameRefusal,
  keepAtMs,
  lastAskMs,
  patienceMs,
  splitDecision,
  type ContestState,
  type SplitDecision,
} from "../protocol/split.js";
import { quorumSize } from "../protocol/quorum.js";
import type { Context } from "./context.js";
import type { Round } from "./round.js";
import type { Sleeper } from "./schedule.js";

/**
 * What one acquire knows of those that contend with it for a name that nobody holds, over its attempts: see
 * `protocol/split`. It begins when an attempt sees a node that does not grant it, and lasts from the send of that to
 * `nodeTimeoutMs` later, or until an attempt is told that somebody holds the name.
 */
export class Contest implements ContestState {
  readonly untilMs: number;
  readonly askUntilMs: number;
  sentMs: number;
  splitCount = 0;
  roundTripMs = 0;
  isLastAsk = false;
  /** Bit mask of the nodes that left a round unanswered: nobody waits for them before they answer. */
  #silent = 0;

  /** @param sentMs lease clock: when all nodes were asked */
  constructor(sentMs: number, nodeTimeoutMs: number) {
    this.sentMs = sentMs;
    this.untilMs = sentMs + nodeTimeoutMs;
    this.askUntilMs = lastAskMs(this.untilMs, nodeTimeoutMs);
  }

  /** Nodes are asked again: all of them, or those that refused. */
  onAsk(nowMs: number): void {
    this.sentMs = nowMs;
  }

  /** How long the nodes have been taking, ms. */
  tookMs(nowMs: number): number {
    return nowMs - this.sentMs;
  }

  /** Whether a node is silent that is worth waiting for. */
  isWaiting(votes: Votes): boolean {
    let isWaiting = false;
    for (let index = 0; index < votes.length; index++) {
      if (isAnswer(votes[index])) this.#silent &= ~(1 << index);
      else if (votes[index] === undefined && !(this.#silent & (1 << index))) isWaiting = true;
    }
    return isWaiting;
  }

  /** The nodes are split. @param tookMs until a quorum had answered, if others are silent */
  onSplit(votes: Votes, nowMs: number, tookMs: number | undefined): void {
    const isWhole = votes.every((vote) => vote !== undefined);
    if (isWhole) this.roundTripMs = this.tookMs(nowMs);
    else if (this.splitCount === 0) this.roundTripMs = tookMs ?? this.tookMs(nowMs);
    this.splitCount++;
    for (let index = 0; index < votes.length; index++) {
      if (votes[index] === undefined) this.#silent |= 1 << index;
    }
  }
}

/** One attempt in a contest: judges its rounds that others have votes in, and says when to ask again. */
export class Contender implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  /** Of the last round that was judged. */
  decision: SplitDecision = "pending";
  readonly contest: Contest;

  readonly #context: Context;
  readonly #lockKey: string;
  readonly #own: string;
  readonly #nodeTimeoutMs: number;
  /** It is one of the keepers of its process. */
  #keeps = false;
  #round: Round | undefined;
  /** Until a quorum had answered this round. */
  #tookMs: number | undefined;
  #isPatienceOver = false;
  /** What refused it when it last kept its nodes, unless it was notified since; and how often in a row that was the same. */
  #refused: Votes = [];
  #sameCount = 0;
  /** A quorum of nodes has notified us since it asked last. */
  #isCalled = false;
  /** Called after a pause. */
  #askAgain: ((nowMs: number) => void) | undefined;

  constructor(
    context: Context,
    contest: Contest,
    lockKey: string,
    ownerId: string,
    nodeTimeoutMs: number,
  ) {
    this.#context = context;
    this.contest = contest;
    this.#lockKey = lockKey;
    this.#own = beginningOf(ownerId);
    this.#nodeTimeoutMs = nodeTimeoutMs;
  }

  /** Whether the round is lost; then {@link Contender.decision} says what comes next. */
  isDecided(round: Round, isTimeUp: boolean): boolean {
    const { contest } = this;
    const { votes } = round;
    this.#round = round;
    const isWaiting = contest.isWaiting(votes) && !this.#isPatienceOver && !isTimeUp;
    this.decision = splitDecision({ votes, own: this.#own, isWaiting });
    const isAnswered = votes.filter(isAnswer).length >= quorumSize(votes.length);
    if (this.decision === "pending") {
      // No quorum will answer in time.
      if (isTimeUp) this.decision = "unreachable";
      else if (isAnswered && this.#askAgain === undefined) this.#waitAWhile();
    }
    if (this.decision === "keep" || this.decision === "yield") {
      contest.onSplit(votes, this.#context.clock.now(), this.#tookMs);
    }
    if (this.decision !== "pending") this.stop();
    return this.decision !== "pending";
  }

  /** Calls back when those that refused may be asked again. */
  whenAgain(votes: Votes, nowMs: number, askAgain: (nowMs: number) => void): void {
    this.#sameCount = isSameRefusal(votes, this.#refused) ? this.#sameCount + 1 : 0;
    this.#refused = votes;
    this.#askAgain = askAgain;
    if (!this.#keeps) this.#context.keepers.add(this.#lockKey, 1);
    this.#keeps = true;
    this.#pause(nowMs);
  }

  #pause(nowMs: number): void {
    const keeper = {
      sameCount: this.#sameCount,
      keeperCount: this.#context.keepers.countOf(this.#lockKey),
      isCalled: this.#isCalled,
    };
    const atMs = keepAtMs(this.contest, keeper, nowMs);
    if (atMs > nowMs) return this.#context.schedule.set(this, atMs);
    this.#context.schedule.remove(this);
    this.wake(nowMs);
  }

  /**
   * A quorum of nodes has notified us: those that refused may not do so again.
   *
   * @param mayCall messages prove nothing, and must not set our pace: whether it may skip a pause for them
   * @returns whether it does for these, now or where it next keeps its nodes
   */
  hurry(nowMs: number, mayCall: boolean): boolean {
    const isCalled = mayCall && this.#keeps && !this.#isCalled;
    this.#isCalled ||= isCalled;
    this.#sameCount = 0;
    this.#refused = [];
    if (this.#askAgain !== undefined) this.#pause(nowMs);
    return isCalled;
  }

  /** Nothing is left to decide. */
  stop(): void {
    this.#context.schedule.remove(this);
    this.#round = undefined;
    this.#tookMs = undefined;
    this.#isPatienceOver = false;
    this.#askAgain = undefined;
  }

  /** Its attempt has ended. */
  end(): void {
    this.stop();
    if (this.#keeps) this.#context.keepers.add(this.#lockKey, -1);
    this.#keeps = false;
  }

  /** Called by the schedule: the pause is over, or silent nodes are not waited for any longer. */
  wake(nowMs: number): void {
    const [askAgain, round] = [this.#askAgain, this.#round];
    if (askAgain !== undefined) {
      this.#askAgain = undefined;
      this.#isCalled = false;
      askAgain(nowMs);
    } else {
      this.#isPatienceOver = true;
      round?.judge();
    }
  }

  #waitAWhile(): void {
    if (this.#tookMs !== undefined) return;
    const nowMs = this.#context.clock.now();
    this.#tookMs = this.contest.tookMs(nowMs);
    const restMs = patienceMs(this.#nodeTimeoutMs, this.#tookMs) - this.#tookMs;
    this.#context.schedule.set(this, nowMs + restMs);
  }
}
