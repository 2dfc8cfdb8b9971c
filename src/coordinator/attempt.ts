import { sealState } from "../protocol/fencing.js";
import { nextRun, type Run } from "../protocol/pass-on-run.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Operation, OperationKind, Vote, Votes } from "../protocol/operation.js";
import type { Waiter } from "../protocol/waiter.js";
import { lingerMs } from "../protocol/deadlines.js";
import { keptMs, keyTtlMs } from "../protocol/delays.js";
import { ownerIdOf } from "../protocol/owner-id.js";
import { isLossReasonKnown, lossReason, type LossReason } from "../protocol/split.js";
import { isUsable, validUntilMs } from "../protocol/validity.js";
import { isReasonKnown, isRefusedByQuorum, type Tally } from "../protocol/verdict.js";
import {
  NEWCOMER,
  previousOwnerOf,
  receiverFor,
  type AcquireMode,
  type Predecessor,
} from "./acquire-mode.js";
import { failureOf, type AttemptFailure } from "../protocol/attempt-failure.js";
import { Contender } from "./contender.js";
import type { Contest } from "./contest.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { Lease } from "./lease.js";
import {
  ALL_NODES,
  nodesThatDidNotRefuse,
  nodesThatGranted,
  nodesThatMayHold,
  nodesThatRefused,
} from "./node-sets.js";
import { rollback } from "./release.js";
import { watched } from "./round-watch.js";
import { Round, type RoundJudge, type RoundListener } from "./round.js";
import { Sealing, type SealingListener } from "./sealing.js";

export type AttemptOutcome = { readonly kind: "granted"; readonly lease: Lease } | AttemptFailure;

/** Receives the outcome of an attempt. Called once; never after {@link Attempt.abort}. */
export interface AttemptListener {
  onOutcome(outcome: AttemptOutcome): void;
}

/**
 * One acquire round, then its sealing or its rollback, under an ownerId of its own. If the nodes are split between
 * several clients, it may keep those that it has, and ask the others again in another round.
 *
 * A fresh ownerId for every attempt: with one for all, a delayed rollback of this attempt would
 * delete the key of the next.
 */
export class Attempt implements RoundListener, RoundJudge, SealingListener {
  /** It cannot be granted any more. */
  isRolledBack = false;
  readonly #context: Context;
  readonly #keys: LockKind;
  /** The keys that it asks the nodes for. */
  readonly #asked: LockKind;
  readonly #settings: LeaseSettings;
  readonly #listener: AttemptListener;
  readonly #mode: AcquireMode;
  readonly #ownerId: string;
  readonly #firstSendMs: number;
  readonly #contest: Contest | undefined;
  /** What it does if the nodes are split. */
  #contender: Contender | undefined;
  /** The last one. */
  #round: Round;
  #sealing: Sealing | undefined;
  #lease: Lease | undefined;
  #isOver = false;

  /**
   * @param nowMs the lease clock, read before the attempt enters any queue: it is the first send
   * @param contest of its acquire; undefined if the attempt gives up where the nodes are split
   */
  constructor(
    context: Context,
    keys: LockKind,
    settings: LeaseSettings,
    nowMs: number,
    listener: AttemptListener,
    mode: AcquireMode = NEWCOMER,
    contest?: Contest,
  ) {
    const { entropy, nodes } = context;
    this.#context = context;
    this.#keys = keys;
    this.#asked = (mode.as === "joiner" && keys.joinOnly?.()) || keys;
    this.#settings = settings;
    this.#listener = listener;
    this.#mode = mode;
    const shownMs = settings.clockStepMs ? keptMs(settings) : undefined;
    this.#ownerId = settings.ownerId ?? ownerIdOf(entropy.id(), settings.label, shownMs);
    this.#firstSendMs = nowMs;
    this.#contest = contest;
    this.#round = this.#newRound(nowMs);
    const operation = this.#operation("acquire", this.#proposal, nowMs);
    const previous = previousOwnerOf(mode);
    const sent = previous === undefined ? operation : { ...operation, previous };
    const receiver = watched(context, sent, settings, this.#round, receiverFor(mode, this.#round));
    this.#round.send(nodes, sent, 0, nowMs, receiver);
  }

  #newRound(nowMs: number): Round {
    const { nodes, schedule } = this.#context;
    const { nodeTimeoutMs } = this.#settings;
    const contest = this.#contest;
    if (contest === undefined) {
      const lingers = this.#mode.as === "waiter" ? lingerMs(nodeTimeoutMs) : 0;
      return new Round(nodes.length, schedule, nodeTimeoutMs, this, { lingerMs: lingers });
    }
    const leftMs = Math.max(1, contest.untilMs - nowMs);
    const timeoutMs = Math.min(nodeTimeoutMs, leftMs);
    return new Round(nodes.length, schedule, timeoutMs, this, { judge: this });
  }

  get #proposal(): number | undefined {
    return this.#settings.fencing ? this.#context.proposals.current : undefined;
  }

  /** Gives up: rolls back and never settles. Without effect once settled. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#contender?.stop();
    this.#round.abandon();
    this.#rollback();
  }

  /** Nodes have reserved the name for it: if it fails, it should fail soon. */
  hurry(): void {
    this.#round.hurry();
  }

  /** Called by the acquire round. */
  isDecided(round: Round, isTimeUp: boolean): boolean {
    const contest = this.#contest as Contest;
    const { nodeTimeoutMs } = this.#settings;
    this.#contender ??= new Contender(this.#context, contest, this.#ownerId, nodeTimeoutMs);
    return this.#contender.isDecided(round, isTimeUp);
  }

  /** Called by the acquire round: other waiters should not be held up until the reason is known. */
  onLost(): void {
    if (!this.#isOver) this.#rollback();
  }

  /** Called by the acquire round. */
  onVerdict(round: Round): void {
    if (round.verdict === "lost") {
      if (this.#contender === undefined) this.#fail(this.#reasonOf(round), round.votes);
      else this.#onContested(this.#contender, round.votes);
      return;
    }
    this.#contender?.stop();
    if (this.#settings.fencing) {
      const { nodes, schedule } = this.#context;
      this.#sealing = new Sealing(nodes.length, round.votes, this);
      this.#sealing.start(schedule, this.#context.clock, this.#settings.nodeTimeoutMs);
    } else {
      this.#grant(undefined, nodesThatGranted(round.votes));
    }
  }

  /** Called by the acquire round. */
  isReasonKnown(round: Round): boolean {
    return this.#contends ? isLossReasonKnown(round.votes) : isReasonKnown(round);
  }

  /** Called by the acquire round. */
  onStraggler(index: number, vote: Vote, round: Round): void {
    if (round !== this.#round) return this.#round.onVote(index, vote);
    const lease = this.#lease;
    if (lease === undefined) {
      if (!this.#isOver) this.#sealing?.onAcquireVote(index, vote);
      return;
    }
    if (vote.kind === "granted") this.#context.waitQueues.heldPlaces.onGranted(lease, index);
    const token = lease.fencingToken;
    const hasFence = vote.kind === "granted" && token !== undefined;
    if (!hasFence || sealState(vote.fence, token) === "sealed") lease.onVote(index, vote);
  }

  /** Called by the sealing. */
  askSeal(index: number, token: number): void {
    const operation = this.#operation("seal", token, this.#context.clock.now());
    const receiver = { onVote: (at: number, vote: Vote) => this.#onSealVote(at, token, vote) };
    this.#context.nodes[index]?.submit(operation, receiver, false);
  }

  /** Called by the sealing. */
  onSealed(sealing: Sealing): void {
    if (sealing.verdict === "won") return this.#grant(sealing.token, sealing.sealed);
    const isInTime = this.#isUsable(this.#context.clock.now());
    const isOutrun = isInTime && sealing.isOutrun;
    // If the granted keys had expired by then, the current holder is not the reason; nor if only fences were.
    const kind = isInTime && !isOutrun ? this.#reasonOf(sealing) : "exhausted";
    this.#fail(isRefusedByQuorum(sealing) ? kind : "unreachable", sealing.votes, isOutrun);
  }

  /** Others can have asked at the same moment, and get the name. */
  get #contends(): boolean {
    const { as } = this.#mode;
    return as === "newcomer" || as === "waiter" || as === "passOn";
  }

  #reasonOf(tally: Tally & { readonly votes: Votes }): LossReason {
    if (this.#contends) return lossReason(tally.votes);
    return isRefusedByQuorum(tally) ? "refused" : "unreachable";
  }

  /** No quorum has granted it, and the nodes may be split. */
  #onContested({ contest, decision }: Contender, votes: Votes): void {
    const nowMs = this.#context.clock.now();
    if (decision === "keep" && nowMs < contest.untilMs) return this.#keep(votes, nowMs);
    const isSplit = decision === "keep" || decision === "yield";
    const hadVote = nodesThatGranted(votes) !== 0;
    const askAgainInMs = isSplit ? contest.pauseMs(nowMs, hadVote) : undefined;
    this.#fail(lossReason(votes), votes, false, askAgainInMs);
  }

  /** It keeps its nodes, and asks those that refused again, in another round. */
  #keep(votes: Votes, nowMs: number): void {
    const again = nodesThatRefused(votes);
    const round = this.#newRound(nowMs);
    this.#round = round;
    round.carry(votes.map((vote, index) => (again & (1 << index) ? undefined : vote)));
    round.expect(nowMs);
    this.#contender?.whenAgain(nowMs, (atMs) => this.#askAgain(round, again, atMs));
  }

  #askAgain(round: Round, to: number, nowMs: number): void {
    const { nodes } = this.#context;
    this.#contender?.contest.onAsk(nowMs);
    const operation = this.#operation("acquire", this.#proposal, nowMs);
    const receiver = watched(this.#context, operation, this.#settings, round, round, to);
    round.send(nodes, operation, 0, nowMs, receiver, to);
  }

  #onSealVote(index: number, token: number, vote: Vote): void {
    this.#sealing?.onSealVote(index, token, vote);
    if (vote.kind === "granted") this.#lease?.onComplete(index);
  }

  /** @param complete bit mask of the nodes that hold our key with the token stored */
  #grant(token: number | undefined, complete: number): void {
    if (this.#isOver) return;
    const nowMs = this.#context.clock.now();
    if (!this.#isUsable(nowMs)) return this.#fail("exhausted", this.#round.votes);
    this.#isOver = true;
    this.#lease = new Lease(this.#context, {
      keys: this.#keys,
      settings: this.#settings,
      ownerId: this.#ownerId,
      fencingToken: token,
      firstSendMs: this.#firstSendMs,
      grantedAtMs: nowMs,
      validUntilMs: this.#validUntilMs,
      mayHold: this.#mayHold,
      complete,
      run: this.#run(nowMs),
    });
    this.#context.waitQueues.heldPlaces.add(this.#lease, this.#waiter, this.#round.votes);
    this.#listener.onOutcome({ kind: "granted", lease: this.#lease });
  }

  /** Of a grant. */
  get #validUntilMs(): number {
    const { ttlMs, driftFactor } = this.#settings;
    return validUntilMs(this.#firstSendMs, ttlMs, driftFactor);
  }

  #isUsable(nowMs: number): boolean {
    return isUsable(nowMs, this.#validUntilMs, this.#settings.minHoldMs);
  }

  #run(nowMs: number): Run {
    const isWaitedFor = this.#round.votes.some(
      (vote) => vote?.kind === "granted" && vote.isWaitedFor === true,
    );
    const { lastTicket } = this.#context.waitQueues;
    return nextRun(this.#predecessor?.run, isWaitedFor, nowMs, lastTicket);
  }

  #fail(kind: AttemptFailure["kind"], votes: Votes, isOutrun = false, askAgainInMs?: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#rollback();
    this.#listener.onOutcome(failureOf(kind, votes, isOutrun, askAgainInMs));
  }

  /** Refusing nodes hold no key of ours and have queued us already. A token is for all nodes. */
  #rollback(): void {
    if (this.isRolledBack) return;
    this.isRolledBack = true;
    this.#sealing?.stop();
    this.#predecessor?.letGo();
    const [keys, ownerId, settings] = [this.#asked, this.#ownerId, this.#settings];
    const [token, mayHold] = [this.#sealing?.token, this.#mayHold];
    const waiter = this.#keys.queue.rejoins ? this.#waiter : undefined;
    const released = { keys, ownerId, settings, token, mayHold, waiter };
    // An adoption rejects such grants itself.
    const isForAll = token !== undefined || this.#mode.as === "adoption";
    const to = isForAll ? ALL_NODES : nodesThatDidNotRefuse(this.#round.votes);
    rollback(this.#context, released, to);
  }

  get #waiter(): Waiter | undefined {
    return "waiter" in this.#mode ? this.#mode.waiter : undefined;
  }

  get #predecessor(): Predecessor | undefined {
    return this.#mode.as === "passOn" ? this.#mode.from : undefined;
  }

  /** The nodes that may hold a key of ours; in an adoption, including those that lacked the previous key. */
  get #mayHold(): number {
    return this.#mode.as === "adoption" ? ALL_NODES : nodesThatMayHold(this.#round.votes);
  }

  #operation(kind: OperationKind, fence: number | undefined, nowMs: number): Operation {
    const isAcquire = kind === "acquire";
    return {
      kind,
      keys: this.#asked,
      ownerId: this.#ownerId,
      ttlMs: keyTtlMs(this.#settings),
      marginMs: this.#settings.clockStepMs,
      fence,
      sendBeforeMs: nowMs + this.#settings.nodeTimeoutMs,
      waiter: isAcquire ? this.#waiter : undefined,
      ...(isAcquire && this.#mode.as === "preempt" && { preempts: true }),
      wire: undefined,
    };
  }
}
