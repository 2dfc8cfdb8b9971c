import type { LockKind } from "../protocol/lock-kind.js";
import type { Run } from "../protocol/hand-over-run.js";
import {
  faultVote,
  type Operation,
  type OperationKind,
  type Vote,
  type Votes,
} from "../protocol/operation.js";
import type { Waiter } from "../protocol/waiter.js";
import { renewalAtMs, renewalRetryMs, renewalUrgentAtMs } from "../protocol/renewal.js";
import { keepMs, keyTtlMs } from "../protocol/delays.js";
import { isValid, LOSS_LEAD_MS, remainingTtlMs, validUntilMs } from "../protocol/validity.js";
import { isRefusedByQuorum } from "../protocol/verdict.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { type LossReason, STALLED_PART, type LossCause } from "./loss.js";
import type { GrantedLease } from "./observer.js";
import type { VoteReceiver } from "./ports.js";
import { LeaseNodes } from "./lease-nodes.js";
import { HandOver } from "./hand-over.js";
import { release, rollback, type Released, type ReleaseResult } from "./release.js";
import type { Renewable } from "./renewals.js";
import { Round } from "./round.js";
import type { Sleeper } from "./schedule.js";

/** How one extend round ended. */
export type ExtendResult =
  | { readonly kind: "extended" }
  /** No quorum answered in time; the lock is still held until its validity runs out. */
  | { readonly kind: "failed"; readonly votes: Votes }
  | { readonly kind: "lost" };

export interface Grant {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly firstSendMs: number;
  /** Now, by the lease clock, ms. */
  readonly grantedAtMs: number;
  readonly validUntilMs: number;
  /** Bit mask of the nodes that may hold a key of ours. */
  readonly mayHold: number;
  /** Bit mask of the nodes that hold our key with the token stored. */
  readonly complete: number;
  /** From hand to hand in this process, up to here. */
  readonly run: Run;
}

/**
 * A granted lock: its lease, renewal, healing, loss and release.
 *
 * `held` is left once, for `lost` or `released`; after that nothing but the release is sent, so
 * that on every node the release is the last word of this ownerId.
 */
export class Lease implements GrantedLease, Sleeper, VoteReceiver, Renewable {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly settings: LeaseSettings;
  /** Told at once when belief in the lock ends without a release. */
  onLost: ((reason: LossReason) => void) | undefined;
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: Context;
  readonly #grantedAtMs: number;
  /** Monotonic clock, ms; read only where there is a minimum hold. */
  readonly #grantedSteadyMs: number;
  #state: "held" | "lost" | "released" = "held";
  #lossReason: LossReason | undefined;
  #lossCause: LossCause | undefined;
  /** Votes of the last extend round since the lock was proved last. */
  #extendVotes: Votes | undefined;
  #validUntilMs: number;
  /** First send of the round that proved the lock last; keys created since die with its keys. */
  #provenAtMs: number;
  #renewAtMs: number;
  #backfillAtMs: number;
  readonly #nodes: LeaseNodes;
  readonly #run: Run;
  #isGiven = false;
  /** Bit mask of the nodes that have told us our turn while we held the lock. */
  #turnsTaken = 0;
  #extending: Promise<ExtendResult> | undefined;
  #releasing: Promise<ReleaseResult> | undefined;

  constructor(context: Context, grant: Grant) {
    this.#context = context;
    this.keys = grant.keys;
    this.settings = grant.settings;
    this.ownerId = grant.ownerId;
    this.fencingToken = grant.fencingToken;
    this.#validUntilMs = grant.validUntilMs;
    this.#provenAtMs = grant.firstSendMs;
    this.#nodes = new LeaseNodes(context.nodes.length, grant.mayHold, grant.complete);
    this.#grantedAtMs = grant.grantedAtMs;
    this.#run = grant.run;
    this.#grantedSteadyMs = grant.settings.minHoldMs ? context.clock.steady() : 0;
    const { renew, ttlMs, nodeTimeoutMs } = grant.settings;
    this.#renewAtMs = renew ? renewalAtMs(grant.firstSendMs, ttlMs) : Number.POSITIVE_INFINITY;
    // Stragglers have until the node deadline to complete the grant by themselves.
    this.#backfillAtMs = this.#nodes.isComplete
      ? Number.POSITIVE_INFINITY
      : this.#grantedAtMs + nodeTimeoutMs;
    this.#reschedule();
    context.observer.onGranted(this);
  }

  get state(): "held" | "lost" | "released" {
    return this.#state;
  }

  /** Released by {@link give}. */
  get isGiven(): boolean {
    return this.#isGiven;
  }

  get lossReason(): LossReason | undefined {
    return this.#lossReason;
  }

  /** Of a lease that ran out: why it was not extended. */
  get lossCause(): LossCause | undefined {
    return this.#lossCause;
  }

  /** Lease clock, ms. Belief ends at this instant at the latest. */
  get validUntilMs(): number {
    return this.#validUntilMs;
  }

  /** What is left of the validity in ms; 0 once the lock is lost or released. */
  get remainingMs(): number {
    if (this.#state !== "held") return 0;
    return Math.max(0, this.#validUntilMs - this.#context.clock.now());
  }

  /** Whether the lock is held now, by the clock. Finds out about a loss that no timer told yet. */
  isHeld(): boolean {
    if (this.#state === "held" && !isValid(this.#context.clock.now(), this.#validUntilMs)) {
      this.#lose("expired");
    }
    return this.#state === "held";
  }

  /** A straggler of the acquire or seal round: the node holds our key with the token stored. */
  onComplete(index: number): void {
    this.#nodes.add(index);
  }

  /** The vote on a heal, or on the acquire by a straggler with which nothing is wrong. */
  onVote(index: number, vote: Vote): void {
    if (vote.kind === "granted") this.onComplete(index);
    // One node is enough: an operator has ended the lock, whatever other nodes still hold.
    else if (vote.kind === "refused" && vote.reason === "ended") this.#lose("taken");
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    if (this.#state !== "held") return;
    const { maxHoldMs } = this.settings;
    if (nowMs >= this.#lossAtMs) this.#lose("expired");
    else if (nowMs >= this.#grantedAtMs + maxHoldMs) this.#lose("maxHold");
    else {
      if (nowMs >= this.#backfillAtMs) this.#backfill();
      if (nowMs >= this.#renewAtMs) this.#beginRenewal(nowMs);
      this.#reschedule();
    }
  }

  /**
   * One extend round. Calls while one is under way share it. Never rejects.
   */
  extend(): Promise<ExtendResult> {
    if (!this.isHeld()) return Promise.resolve({ kind: "lost" });
    this.#extending ??= new Promise<ExtendResult>((resolve) => this.#startExtend(resolve)).finally(
      () => {
        this.#extending = undefined;
      },
    );
    return this.#extending;
  }

  /**
   * Ends the lock on all nodes, also those that are down; where the next in line of this process
   * can have it, the round in which that one acquires it does both. Resolves when a quorum has answered or
   * nothing more can come; never rejects.
   */
  release(): Promise<ReleaseResult> {
    if (this.#state === "held") {
      // A lease that is over was not released in time, whatever the nodes still hold.
      if (!this.isHeld()) return Promise.resolve("expired");
      this.#end("released");
      this.#context.observer.onReleased(this);
      this.#releasing = this.#handOver() ?? release(this.#context, this.#released);
      if (this.#staysClosed) this.#context.waitQueues.lookAgain(this.keys);
    }
    return this.#releasing ?? Promise.resolve("expired");
  }

  /**
   * Ends belief without a release: another process may take the lock over from this owner, for as
   * long as its keys last.
   */
  give(): void {
    if (!this.isHeld()) return;
    this.#end("released");
    this.#isGiven = true;
    this.#context.observer.onReleased(this);
    this.#releasing = Promise.resolve("handedOver");
  }

  #handOver(): Promise<ReleaseResult> | undefined {
    const { waitQueues, clock } = this.#context;
    // One that is kept closed is nobody's to have.
    if (!this.keys.queue.handsOver || this.#keepMs !== undefined) return undefined;
    const nowMs = clock.now();
    const next = waitQueues.successorOf(this.keys, this.#run, nowMs);
    if (next === undefined) return undefined;
    // The place in the queue is the acquire's business.
    const released = { ...this.#released, waiter: undefined };
    const handOver = new HandOver(this.#context, released, this.#run);
    next.receive(handOver, nowMs);
    return handOver.result;
  }

  /** Gives the lock up because its manager closes; who holds it is told as of any other loss. */
  async close(): Promise<void> {
    if (!this.isHeld()) return;
    const released = release(this.#context, this.#released);
    this.#leave("closed");
    await released;
  }

  /** Another of this process steals the name. Before that one asks for it, so that belief ends first. */
  preempt(): void {
    if (this.isHeld()) this.#lose("stolen");
  }

  #lose(reason: LossReason): void {
    if (this.#state !== "held") return;
    // Behind extends and heals that may still land; before anybody is told, so that nobody's
    // reaction can come between. With a lock-delay the name stays closed: the keys are left to it.
    if (!this.settings.lockDelayMs) rollback(this.#context, this.#released);
    this.#leave(reason);
    if (this.#staysClosed) this.#context.waitQueues.lookAgain(this.keys);
  }

  #leave(reason: LossReason): void {
    if (reason === "expired") this.#lossCause = this.#causeOfExpiry();
    this.#end("lost");
    this.#lossReason = reason;
    this.onLost?.(reason);
    this.#context.observer.onLost(this, reason);
  }

  /** Belief is over; from now on nothing but the release is sent. */
  #end(state: "lost" | "released"): void {
    const { waitQueues, renewals, schedule } = this.#context;
    this.#state = state;
    waitQueues.onEnd(this);
    renewals.forget(this);
    schedule.remove(this);
  }

  #causeOfExpiry(): LossCause {
    const { schedule, renewals } = this.#context;
    const { renew, ttlMs } = this.settings;
    const votes = this.#extendVotes;
    if (!renew && votes === undefined) return { kind: "notRenewed" };
    const forMs = schedule.longestStallMs(this.#provenAtMs);
    if (forMs >= ttlMs * STALLED_PART) return { kind: "stalled", forMs };
    if (votes === undefined || renewals.isWaiting(this)) return { kind: "queued" };
    const silent = faultVote("timeout", true, "no answer");
    return { kind: "unconfirmed", votes: Array.from(votes, (vote) => vote ?? silent) };
  }

  get #released(): Released {
    const { keys, ownerId, settings, fencingToken: token } = this;
    const waiter = this.#context.waitQueues.nextOf(keys);
    const mayHold = this.#nodes.mayHold;
    return { keys, ownerId, settings, token, mayHold, waiter, keepMs: this.#keepMs };
  }

  /** Whether its end is no release of the name, or may be none. */
  get #staysClosed(): boolean {
    const { lockDelayMs, minHoldMs } = this.settings;
    return Boolean(lockDelayMs) || Boolean(minHoldMs);
  }

  /** For how long the name is kept closed if it is released now, ms; undefined if it need not be. */
  get #keepMs(): number | undefined {
    const { minHoldMs, driftFactor } = this.settings;
    if (!minHoldMs) return undefined;
    const heldMs = this.#context.clock.steady() - this.#grantedSteadyMs;
    return keepMs(minHoldMs, heldMs, driftFactor) || undefined;
  }

  #beginRenewal(nowMs: number): void {
    const urgentAtMs = renewalUrgentAtMs(this.#validUntilMs, this.settings.ttlMs);
    this.#renewAtMs = Number.POSITIVE_INFINITY;
    const isUrgent = nowMs >= urgentAtMs;
    const hasBegun = this.#context.renewals.begin(this, isUrgent);
    if (!hasBegun && !isUrgent) this.#renewAtMs = urgentAtMs;
  }

  /** Called by the renewals, when there is room. */
  renew(): void {
    this.#renewAtMs = Number.POSITIVE_INFINITY;
    void this.extend().then((result) => {
      this.#context.renewals.onEnd();
      if (result.kind !== "failed" || this.#state !== "held") return;
      const now = this.#context.clock.now();
      const leftMs = this.#validUntilMs - now;
      const retryMs = renewalRetryMs(leftMs, this.settings.ttlMs, this.#context.entropy.unit());
      this.#renewAtMs = now + retryMs;
      this.#reschedule();
    });
  }

  #startExtend(resolve: (result: ExtendResult) => void): void {
    const { clock, nodes, schedule } = this.#context;
    const { nodeTimeoutMs } = this.settings;
    const ttlMs = keyTtlMs(this.settings);
    const firstSendMs = clock.now();
    const round = new Round(nodes.length, schedule, nodeTimeoutMs, {
      onVerdict: (result) => {
        if (!this.isHeld()) resolve({ kind: "lost" });
        else if (result.verdict === "won") {
          this.#onExtended(firstSendMs, result.votes);
          resolve({ kind: this.isHeld() ? "extended" : "lost" });
        } else if (isRefusedByQuorum(result)) {
          this.#lose("taken");
          resolve({ kind: "lost" });
        } else resolve({ kind: "failed", votes: result.votes });
      },
      onStraggler: (index, vote, result) => {
        // Only the round that proved the lock last may still say what to heal.
        const isProof = result.verdict === "won" && this.#provenAtMs === firstSendMs;
        if (isProof) this.#healWhereNeeded(index, vote);
      },
    });
    this.#extendVotes = round.votes;
    round.send(nodes, this.#operation("extend", ttlMs), 0, firstSendMs);
  }

  #onExtended(firstSendMs: number, votes: Votes): void {
    const { ttlMs, driftFactor, renew } = this.settings;
    const extended = validUntilMs(firstSendMs, ttlMs, driftFactor);
    this.#validUntilMs = Math.max(this.#validUntilMs, extended);
    this.#provenAtMs = firstSendMs;
    this.#extendVotes = undefined;
    if (renew) {
      this.#renewAtMs = renewalAtMs(firstSendMs, ttlMs);
      this.#context.renewals.forget(this);
    }
    this.#backfillAtMs = Number.POSITIVE_INFINITY;
    // Nearly over when it is known: by a timer its loss might be told too late.
    if (this.#context.clock.now() >= this.#lossAtMs) this.#lose("expired");
    else this.#reschedule();
    votes.forEach((vote, index) => {
      if (vote !== undefined) this.#healWhereNeeded(index, vote);
    });
  }

  /** After a quorum matched in the vote's own round: puts the key back where it is missing. */
  #healWhereNeeded(index: number, vote: Vote): void {
    if (this.#nodes.needsHeal(index, vote)) this.#heal(index);
  }

  #backfill(): void {
    this.#backfillAtMs = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.#context.nodes.length; index++) {
      if (!this.#nodes.has(index)) this.#heal(index);
    }
  }

  /**
   * It is this process's turn on a node that had refused the acquire, because it heard of the release
   * before it only now. The node joins the others, instead of waiting for one who has it already. Once
   * for each node: no more can be true, and messages should not decide how often we ask.
   */
  takeTurn(index: number, waiter: Waiter): void {
    const bit = 1 << index;
    if (this.#state !== "held" || this.#nodes.has(index) || this.#turnsTaken & bit) return;
    this.#turnsTaken |= bit;
    this.#heal(index, waiter);
  }

  /** Only while held: a heal behind the release would leave a key that nobody owns. */
  #heal(index: number, waiter?: Waiter): void {
    if (!this.isHeld()) return;
    const leftMs = remainingTtlMs(
      this.#context.clock.now(),
      this.#provenAtMs,
      keyTtlMs(this.settings),
    );
    if (leftMs < 1) return;
    this.#nodes.mayHold |= 1 << index;
    this.#context.nodes[index]?.submit(this.#operation("heal", leftMs, waiter), this, false);
  }

  #reschedule(): void {
    const wakeAtMs = Math.min(
      this.#lossAtMs,
      this.#renewAtMs,
      this.#backfillAtMs,
      this.#grantedAtMs + this.settings.maxHoldMs,
    );
    this.#context.schedule.set(this, wakeAtMs);
  }

  /** When the loss is told, unless the lock is extended before; by the clock belief may last a little longer. */
  get #lossAtMs(): number {
    return this.#validUntilMs - LOSS_LEAD_MS;
  }

  #operation(kind: OperationKind, ttlMs: number, waiter?: Waiter): Operation {
    const { keys, ownerId, fencingToken: fence, settings } = this;
    const deadlineMs = this.#context.clock.now() + settings.nodeTimeoutMs;
    const sendBeforeMs = Math.min(this.#validUntilMs, deadlineMs);
    return { kind, keys, ownerId, ttlMs, fence, sendBeforeMs, waiter, wire: undefined };
  }
}
