import { drawnToken } from "../protocol/fencing.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { newOperation, type OperationOf, type Vote, type Votes } from "../protocol/operation.js";
import type { Waiter } from "../protocol/node-queue.js";
import {
  failureOf,
  isLossReasonKnown,
  isOwnDelay,
  learn,
  lingerMs,
  lossReason,
  unaskedFailure,
  type AttemptFailure,
  type LossReason,
} from "../protocol/attempt-failure.js";
import { leaseOwnerIdOf } from "../protocol/owner-id.js";
import { keepMs, keyTtlMs, isUsable, validUntilMs } from "../protocol/lease-times.js";
import { gatherMs, nextSpreadMs } from "../protocol/node-messages.js";
import { isAnswer } from "../protocol/split.js";
import {
  ALL_NODES,
  isReasonKnown,
  isRefusedByQuorum,
  nodeCountOf,
  nodesThatGranted,
  nodesThatMayHold,
  nodesThatRefused,
  quorumSize,
  tallyOf,
} from "../protocol/quorum.js";
import { afterPrevious, NEWCOMER, type AcquireMode } from "./acquire-mode.js";
import type { Entrant } from "./admission.js";
import { Contender, Contest } from "./contest.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { Lease } from "./lease.js";
import type { DatedVote } from "./ports.js";
import { rollback, type Released } from "./release.js";
import { Round, type RoundJudge, type RoundListener, type RoundRules } from "./round.js";
import type { Sleeper } from "./schedule.js";
import { Sealing, type SealingListener } from "./sealing.js";

export type AttemptOutcome = { readonly kind: "granted"; readonly lease: Lease } | AttemptFailure;

export interface AttemptListener {
  /** Called right before the first send; may abort it. */
  onBegin?(nowMs: number): void;
  /** Called right after it, also if it was cancelled. */
  onSent?(): void;
  /** Called once; never after {@link Attempt.abort}. */
  onOutcome(outcome: AttemptOutcome, nowMs: number): void;
  /** Its ownerId is over: the place that goes on, with another. */
  onRollback?(): Waiter | undefined;
}

/** What an attempt asks for. */
export interface Asked {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
  /** By default it is a newcomer. */
  readonly mode?: AcquireMode;
  /** If the nodes are split, it may ask them again; otherwise it gives up then. */
  readonly contends?: boolean;
  /** In which earlier attempts of its acquire were. */
  readonly contest?: Contest | undefined;
  /** Of several names: the owners of locks on some of them, which become part of it. */
  readonly partIds?: readonly string[] | undefined;
  /** Nodes that refuse it are asked how many wait. It is in no queue. */
  readonly countsWaiters?: boolean;
  /** Lease clock: if it has not begun by then, it never will, and fails as `queued`. By default it may always begin. */
  readonly beginUntilMs?: number;
}

/**
 * One attempt. It is to enter the admission, and begins when that lets it: one acquire round, then its sealing or its
 * rollback, under an ownerId of its own. If the nodes are split between several clients, it may keep those that it
 * has, and ask the others again in another round.
 *
 * An ownerId is over with its rollback: with one for all, a delayed rollback of this attempt would delete the key of
 * the next.
 */
export class Attempt implements Entrant, Sleeper, RoundListener, RoundJudge, SealingListener {
  wakeAtMs = 0;
  heapIndex = -1;
  /** From the first time on that others were seen to have nodes. */
  contest: Contest | undefined;
  /** It cannot be granted any more: what the nodes still answer only says why it fails. Changed by the attempt only. */
  isLost = false;
  /** How often it has been made again. */
  againCount = 0;
  readonly #context: Context;
  readonly #asked: Asked;
  readonly #mode: AcquireMode;
  /** What it asks the nodes for. */
  readonly #keys: LockKind;
  readonly #listener: AttemptListener;
  #ownerId = "";
  /** Lease clock: its validity counts from here. Undefined until it has begun. */
  #firstSendMs: number | undefined;
  /** What it does if the nodes are split. */
  #contender: Contender | undefined;
  /** The last one. */
  #round: Round | undefined;
  /** By node index; of the last round. */
  #votes: Votes = [];
  /** Fixed once the round is won. */
  #token: number | undefined;
  /** Where no quorum has returned the token. */
  #sealing: Sealing | undefined;
  /** Before it asks again: what those that refused have said. If its time is up before, that is the reason. */
  #toAskAgain: Votes = [];
  #lease: Lease | undefined;
  /** Lease clock: the admission let it begin, and nodes were asked. */
  #admittedMs: number | undefined;
  /** Nodes have granted it of their own accord, and the others are not asked yet. */
  #isGathering = false;
  /** Lease clock: when the first of them said so. */
  #toldMs: number | undefined;
  /** The place of the acquire, once this attempt is rolled back. */
  #next: Waiter | undefined;
  #isOver = false;
  /** Told to its listener; what is still to come may change it. */
  #failure: AttemptFailure | undefined;

  constructor(context: Context, asked: Asked, listener: AttemptListener) {
    const { keys, mode = NEWCOMER, contest } = asked;
    this.contest = contest;
    this.#context = context;
    this.#asked = asked;
    this.#mode = mode;
    this.#keys = (mode.as === "joiner" && keys.joinOnly?.()) || keys;
    this.#listener = listener;
  }

  /** Nodes have been asked, or it was cancelled right before that. */
  get hasBegun(): boolean {
    return this.#firstSendMs !== undefined;
  }

  /** Nodes are asked only for the lock that its owner may hold. */
  get isJoiner(): boolean {
    return this.#mode.as === "joiner";
  }

  /** Nodes have been asked, and have not decided. */
  get isAsking(): boolean {
    return this.hasBegun && !this.isLost;
  }

  /** Whether it is under way for the owner whose acquire nodes execute of their own accord. */
  mayBeGranted({ deferred }: Waiter): boolean {
    return !this.isLost && this.#ownerId === deferred?.ownerId;
  }

  /** Called by the admission. */
  onHeldBack(): void {
    const { beginUntilMs = Number.POSITIVE_INFINITY } = this.#asked;
    if (beginUntilMs < Number.POSITIVE_INFINITY) this.#context.schedule.set(this, beginUntilMs);
  }

  /** The same once more, under another ownerId and until the same time; it has not entered yet. */
  again(): Attempt {
    const mode: AcquireMode =
      this.#next === undefined ? this.#mode : { as: "waiter", waiter: this.#next };
    const asked = { ...this.#asked, mode, contest: this.contest };
    const again = new Attempt(this.#context, asked, this.#listener);
    again.againCount = this.againCount + 1;
    return again;
  }

  /** Called by the schedule: it is too late to begin, or the other nodes do not grant it of their own accord. */
  wake(nowMs: number): void {
    if (this.#isGathering) return this.#askTheOthers(nowMs);
    this.#end("aborted", nowMs);
    this.#listener.onOutcome(unaskedFailure("queued", this.#context.nodes.length), nowMs);
  }

  /** Called by the admission. The first send is now, not when the attempt was requested. */
  begin(): void {
    const { clock, schedule } = this.#context;
    schedule.remove(this);
    const nowMs = clock.now();
    this.#admittedMs = nowMs;
    this.#firstSendMs = nowMs;
    this.#listener.onBegin?.(nowMs);
    if (!this.#isOver) this.#send(nowMs);
    this.#listener.onSent?.();
  }

  #send(nowMs: number): void {
    // One that is over would leave no time for an answer: what is asked now is asked anew.
    if (this.contest !== undefined && nowMs >= this.contest.untilMs) this.contest = undefined;
    const mode = this.#mode;
    const { settings } = this.#asked;
    const given = mode.ownerId ?? mode.waiter?.deferred?.ownerId;
    const { entropy, waitQueues } = this.#context;
    this.#ownerId = given ?? leaseOwnerIdOf(entropy.id(), waitQueues.inbox, settings);
    this.contest?.onAsk(nowMs);
    const round = this.#newRound(nowMs);
    const operation = this.#acquire(nowMs, mode.previousId);
    const receiver = mode.previousId === undefined ? round : afterPrevious(round);
    round.send(operation, nowMs, 0, receiver);
  }

  /**
   * A node has executed it, as its acquire was deferred there.
   *
   * @param askUntilMs lease clock: if it begins with that, it asks the other nodes no later
   */
  onNodeGrant(index: number, { vote, sentMs }: DatedVote, nowMs: number, askUntilMs: number): void {
    if (this.#isOver) return;
    if (this.#toldMs !== undefined) {
      const { waitQueues } = this.#context;
      waitQueues.spreadMs = nextSpreadMs(waitQueues.spreadMs, nowMs - this.#toldMs);
    }
    const round = this.#round ?? this.#gather(sentMs, nowMs, askUntilMs);
    this.#firstSendMs = Math.min(this.#firstSendMs ?? sentMs, sentMs);
    if (this.#sealing !== undefined) this.onStraggler(index, vote, round);
    else round.onGrant(index, vote);
  }

  /** Nodes begin it: it sends nothing yet. */
  #gather(sentMs: number, nowMs: number, askUntilMs: number): Round {
    const { admission, schedule, waitQueues } = this.#context;
    const { nodeTimeoutMs } = this.#asked.settings;
    admission.leave(this);
    this.#firstSendMs = sentMs;
    this.#toldMs = nowMs;
    this.#listener.onBegin?.(nowMs);
    this.#ownerId = this.#mode.waiter?.deferred?.ownerId ?? "";
    const round = this.#newRound(nowMs);
    round.expect(nowMs);
    this.#isGathering = true;
    schedule.set(this, Math.min(nowMs + gatherMs(nodeTimeoutMs, waitQueues.spreadMs), askUntilMs));
    return round;
  }

  #askTheOthers(nowMs: number): void {
    this.#isGathering = false;
    this.#context.schedule.remove(this);
    const round = this.#round;
    const others = ALL_NODES & ~nodesThatGranted(this.#votes);
    round?.send(this.#acquire(nowMs), nowMs, 0, round, others);
  }

  /** @param kept votes of the round before */
  #newRound(nowMs: number, kept?: Votes): Round {
    const { nodeTimeoutMs } = this.#asked.settings;
    let timeoutMs = nodeTimeoutMs;
    let rules: RoundRules = {};
    if (this.#asked.contends === true) {
      if (this.contest !== undefined)
        timeoutMs = Math.min(nodeTimeoutMs, Math.max(1, this.contest.untilMs - nowMs));
      rules = { judge: this, votes: kept };
    } else if (this.#mode.as === "waiter") rules = { lingerMs: lingerMs(nodeTimeoutMs) };
    const round = new Round(this.#context, timeoutMs, this, rules);
    this.#round = round;
    this.#votes = round.votes;
    return round;
  }

  /** Gives up: rolls back what was sent and never settles. Without effect once settled. */
  abort(): void {
    this.giveUp()();
  }

  /** The same. @returns rolls back what was sent */
  giveUp(): () => void {
    if (this.#isOver) return () => {};
    this.#round?.abandon();
    this.#sealing?.stop();
    this.#end("aborted", this.#context.clock.now());
    return () => {
      if (this.#round !== undefined) this.#rollback();
    };
  }

  /**
   * Gives up without a rollback, if the owner that is about to be released is its own, and it has no token for the nodes.
   *
   * @returns whether it does
   */
  leaveTo(releasing: string | undefined): boolean {
    const isOwn = releasing !== undefined && releasing === this.#ownerId;
    if (!isOwn || this.isLost || this.#token !== undefined) return false;
    this.#rollback(true);
    this.abort();
    return true;
  }

  /**
   * Nodes have reserved the name for it: if it fails, it should fail soon.
   *
   * @param mayCall whether one that keeps its nodes may ask the others for them without a pause
   * @returns whether it does so because of this
   */
  hurry(nowMs: number, mayCall: boolean): boolean {
    if (this.#isOver) return false;
    if (!this.hasBegun) this.#context.admission.hurry(this);
    // The others keep the name for it, and do not grant it of their own accord.
    else if (this.#isGathering) this.#askTheOthers(nowMs);
    else {
      this.#round?.hurry();
      return this.#contender?.hurry(nowMs, mayCall) === true;
    }
    return false;
  }

  /** Called by the acquire round, while others have votes in it. */
  isDecided(round: Round, isTimeUp: boolean): boolean {
    const { keys, settings } = this.#asked;
    this.#contender ??= new Contender(
      this.#context,
      this.#contested(),
      keys.lockKey,
      this.#ownerId,
      settings.nodeTimeoutMs,
    );
    return this.#contender.isDecided(round, isTimeUp);
  }

  #contested(): Contest {
    const { nodeTimeoutMs } = this.#asked.settings;
    this.contest ??= new Contest(this.#firstSendMs ?? 0, nodeTimeoutMs);
    return this.contest;
  }

  /** Called by the acquire round: other waiters should not be held up until the reason is known. */
  onLost(): void {
    if (!this.#isOver) this.#rollback();
  }

  /** Called by the acquire round. */
  onVerdict(round: Round): void {
    if (round.verdict === "lost") {
      if (this.#contender === undefined) this.#fail(this.#reasonOf(round.votes), round.votes);
      else this.#onContested(this.#contender, round.votes);
      return;
    }
    this.#contender?.stop();
    if (this.#isGathering) {
      this.#isGathering = false;
      this.#context.schedule.remove(this);
    }
    const { fencing, nodeTimeoutMs } = this.#asked.settings;
    if (!fencing) return this.#grant(undefined, nodesThatGranted(round.votes));
    const { token, sealed } = drawnToken(round.votes);
    this.#token = token;
    if (nodeCountOf(sealed) >= quorumSize(round.votes.length)) return this.#grant(token, sealed);
    this.#sealing = new Sealing(this.#context, nodeTimeoutMs, token, round.votes, this);
    this.#sealing.start(this.#context.clock.now());
  }

  /** Called by the acquire round. */
  isReasonKnown(round: Round): boolean {
    return this.#contends ? isLossReasonKnown(round.votes) : isReasonKnown(tallyOf(round.votes));
  }

  /** Called by the acquire round. */
  onStraggler(index: number, vote: Vote, round: Round): void {
    if (round !== this.#round) return this.#round?.onVote(index, vote);
    const lease = this.#lease;
    if (lease === undefined) {
      if (!this.#isOver) this.#sealing?.onAcquireVote(index, vote);
      else if (this.#failure !== undefined) learn(this.#failure, index, vote);
      return;
    }
    const { waiter } = this.#mode;
    if (vote.kind === "granted") lease.place?.onAnswer(index);
    if (vote.kind === "refused" && waiter !== undefined) this.#leaveUseless(waiter, 1 << index);
    const token = lease.fence;
    const isSealed = vote.kind !== "granted" || token === undefined || vote.fence === token;
    if (isSealed) lease.onVote(index, vote);
    else if (vote.fence > token) lease.onLaterFence(index);
  }

  /** Called by the sealing. */
  askSeal(index: number, token: number): void {
    const sendBeforeMs = this.#context.clock.now() + this.#asked.settings.nodeTimeoutMs;
    const [keys, ownerId] = [this.#keys, this.#ownerId];
    const operation = newOperation("seal", { keys, ownerId, fence: token, sendBeforeMs });
    const onVote = (at: number, vote: Vote): void => {
      this.#sealing?.onSealVote(at, token, vote);
      if (vote.kind === "granted") this.#lease?.onVote(at, vote);
    };
    this.#context.nodes[index]?.submit(operation, { onVote }, false);
  }

  /** Called by the sealing. */
  onSealed(sealing: Sealing): void {
    if (sealing.verdict === "won") return this.#grant(sealing.token, sealing.sealed);
    const { votes } = sealing;
    const nowMs = this.#context.clock.now();
    const isInTime = isUsable(nowMs, this.#validUntilMs, this.#asked.settings.minHoldMs);
    const isOutrun = isInTime && sealing.isOutrun;
    // If the granted keys had expired by then, the current holder is not the reason; nor if only fences were.
    const reason = isInTime && !isOutrun ? this.#reasonOf(votes) : "exhausted";
    const kind = isRefusedByQuorum(tallyOf(votes)) ? reason : "unreachable";
    const isContested = kind === "split" && this.#asked.contends === true;
    // Others got its nodes before they stored its token: a split like any other.
    if (isContested) this.#contested().onSplit(votes, nowMs, undefined);
    this.#fail(kind, votes, isOutrun, isContested);
  }

  /** Others can have asked at the same moment, and get the name. */
  get #contends(): boolean {
    const { as } = this.#mode;
    return as === "newcomer" || as === "waiter";
  }

  #reasonOf(votes: Votes): LossReason {
    if (this.#contends) return lossReason(votes);
    return isRefusedByQuorum(tallyOf(votes)) ? "refused" : "unreachable";
  }

  /** No quorum has granted it, and the nodes may be split. */
  #onContested({ contest, decision }: Contender, votes: Votes): void {
    const nowMs = this.#context.clock.now();
    if (decision === "keep" && nowMs < contest.askUntilMs) return this.#keep(votes, nowMs);
    const isContested = decision === "keep" || decision === "yield";
    const all = votes.map((vote, index) =>
      isAnswer(vote) ? vote : (this.#toAskAgain[index] ?? vote),
    );
    this.#fail(lossReason(all), all, false, isContested);
  }

  /** It keeps its nodes, and asks those that refused again, in another round. */
  #keep(votes: Votes, nowMs: number): void {
    const again = nodesThatRefused(votes);
    const kept = votes.map((vote, index) => (again & (1 << index) ? undefined : vote));
    const round = this.#newRound(nowMs, kept);
    round.expect(nowMs);
    this.#toAskAgain = votes;
    this.#contender?.whenAgain(votes, nowMs, (atMs) => this.#askAgain(round, again, atMs));
  }

  #askAgain(round: Round, to: number, nowMs: number): void {
    this.#toAskAgain = [];
    this.#contender?.contest.onAsk(nowMs);
    const operation = this.#acquire(nowMs);
    round.send(operation, nowMs, 0, round, to);
  }

  /** @param complete bit mask of the nodes that hold our key with the token stored */
  #grant(token: number | undefined, complete: number): void {
    if (this.#isOver) return;
    const nowMs = this.#context.clock.now();
    const { keys, settings } = this.#asked;
    const validUntil = this.#validUntilMs;
    const votes = this.#votes;
    if (!isUsable(nowMs, validUntil, settings.minHoldMs)) return this.#fail("exhausted", votes);
    const { waitQueues } = this.#context;
    const { waiter } = this.#mode;
    let isWaitedFor = false;
    for (const vote of votes) {
      if (vote?.kind === "granted" && vote.isWaitedFor === true) isWaitedFor = true;
    }
    const lease = new Lease(this.#context, {
      keys,
      settings,
      ownerId: this.#ownerId,
      fence: token,
      firstSendMs: this.#firstSendMs ?? nowMs,
      grantedAtMs: nowMs,
      validUntilMs: validUntil,
      mayHold: this.#mayHold,
      complete,
      place:
        waiter && keys.queue.keepsPlace
          ? waitQueues.heldPlaces.add(keys, waiter, votes, this.#round?.askedInVain ?? 0)
          : undefined,
      run: { startedMs: nowMs, isWaitedFor, lastTicket: waitQueues.lastTicket, passOnCount: 0 },
    });
    this.#lease = lease;
    this.#end("answered", nowMs);
    this.#listener.onOutcome({ kind: "granted", lease }, nowMs);
    if (waiter !== undefined) this.#leaveUseless(waiter, nodesThatRefused(votes));
  }

  /** It is granted. @param nodes bit mask of those that have refused it, and put its waiter into their queues */
  #leaveUseless(waiter: Waiter, nodes: number): void {
    const { keys } = this.#asked;
    if (!keys.queue.keepsPlace && nodes !== 0)
      this.#context.waitQueues.leaveNodes(keys, waiter, nodes);
  }

  /** Of a grant. */
  get #validUntilMs(): number {
    const { ttlMs, driftFactor } = this.#asked.settings;
    return validUntilMs(this.#firstSendMs ?? 0, ttlMs, driftFactor);
  }

  #fail(kind: AttemptFailure["kind"], votes: Votes, isOutrun = false, isContested = false): void {
    if (this.#isOver) return;
    this.#rollback();
    const isUnanswered = kind === "unreachable" && !isContested && !isOwnDelay(votes);
    const nowMs = this.#context.clock.now();
    this.#end(isUnanswered ? "unanswered" : "answered", nowMs);
    this.#failure = failureOf(kind, votes, isOutrun, isContested);
    this.#listener.onOutcome(this.#failure, nowMs);
  }

  #end(how: "answered" | "unanswered" | "aborted", nowMs: number): void {
    this.#isOver = true;
    const { admission, schedule } = this.#context;
    schedule.remove(this);
    this.#contender?.end();
    const beganMs = this.#admittedMs;
    if (beganMs !== undefined)
      admission.onEnd(how, beganMs, this.#asked.settings.nodeTimeoutMs, nowMs);
    else if (this.#firstSendMs === undefined) admission.leave(this);
  }

  /**
   * Refusing nodes hold no key of ours and have queued us already, but may execute what a waiter has left there. A token
   * is for all nodes.
   *
   * @param isReleased its owner is released without it
   */
  #rollback(isReleased = false): void {
    if (this.isLost) return;
    this.isLost = true;
    this.#sealing?.stop();
    if (isReleased) return;
    const { settings, keys } = this.#asked;
    const { as, minHoldMs = 0 } = this.#mode;
    const token = this.#token;
    const refused = nodesThatRefused(this.#votes);
    // Readers of one process have one place, which those that ask beside it may have left already, with a grant.
    const keepsPlace = keys.queue.rejoins && this.#context.waitQueues.of(keys)?.isAsking !== true;
    let waiter = keepsPlace ? this.#mode.waiter : undefined;
    // An adoption rejects such grants itself.
    const isForAll = token !== undefined || as === "adoption";
    let to = isForAll ? ALL_NODES : ALL_NODES & ~refused;
    // Where all have refused it, it goes on under its ownerId, which is over otherwise.
    const isRefusedByAll = nodeCountOf(refused) === this.#context.nodes.length;
    if (waiter?.deferred !== undefined && !isRefusedByAll) {
      this.#next = this.#listener.onRollback?.();
      waiter = this.#next ?? waiter;
      to = ALL_NODES;
    }
    const released: Released = {
      keys: this.#keys,
      ownerId: this.#ownerId,
      settings,
      token,
      mayHold: this.#mayHold,
      waiter,
      place: this.#mode.waiter?.deferred && this.#mode.waiter,
    };
    // The giver of an adopted lock promised to keep the name closed, and cannot any more: where its key was, or may have
    // been, and would still be.
    const closedMs = keepMs(minHoldMs, settings.driftFactor);
    const kept = closedMs === 0 ? 0 : to & ~refused;
    if (kept !== 0) rollback(this.#context, { ...released, keepMs: closedMs }, kept);
    rollback(this.#context, released, to & ~kept);
  }

  /**
   * The nodes that may hold a key of ours; in an adoption, including those that lacked the previous key. Those that have
   * refused a deferred acquire may execute it yet.
   */
  get #mayHold(): number {
    const { as, waiter } = this.#mode;
    const isAnywhere = as === "adoption" || waiter?.deferred !== undefined;
    return isAnywhere ? ALL_NODES : nodesThatMayHold(this.#votes);
  }

  #acquire(nowMs: number, previousId?: string): OperationOf<"acquire"> {
    const { settings } = this.#asked;
    return newOperation("acquire", {
      keys: this.#keys,
      ownerId: this.#ownerId,
      ttlMs: keyTtlMs(settings),
      marginMs: settings.clockStepMs,
      fence: settings.fencing ? this.#context.proposals.current : undefined,
      sendBeforeMs: nowMs + settings.nodeTimeoutMs,
      waiter: this.#mode.waiter,
      previousId,
      partIds: this.#asked.partIds,
      preempts: this.#mode.as === "preempt" ? true : undefined,
      countsWaiters: this.#asked.countsWaiters === true ? true : undefined,
    });
  }
}
