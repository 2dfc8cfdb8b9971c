import type { Run } from "../protocol/hand-over-run.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Vote } from "../protocol/operation.js";
import { isValid } from "../protocol/validity.js";
import type { Waiter } from "../protocol/waiter.js";
import type { Context } from "./context.js";
import type { Grant } from "./grant.js";
import { HandOver } from "./hand-over.js";
import { LeaseHealing, type HealedLease } from "./lease-healing.js";
import { LeaseRenewal, type ExtendedLease, type ExtendResult } from "./lease-renewal.js";
import type { LeaseSettings } from "./lease-settings.js";
import { LeaseValidity } from "./lease-validity.js";
import type { LossCause, LossReason } from "./loss.js";
import { MinimumHold } from "./minimum-hold.js";
import type { GrantedLease, ManagedLease } from "./observer.js";
import { release, rollback, type Released } from "./release.js";
import type { ReleaseResult } from "./release-result.js";
import type { Sleeper } from "./schedule.js";

/**
 * A granted lock, from the grant to its loss or its release.
 *
 * `held` is left once, for `lost` or `released`; after that nothing but the release is sent, so
 * that on every node the release is the last word of this ownerId.
 */
export class Lease implements GrantedLease, ManagedLease, Sleeper, HealedLease, ExtendedLease {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly settings: LeaseSettings;
  readonly run: Run;
  readonly grantedAtMs: number;
  /** Told at once when belief in the lock ends without a release. */
  onLost: ((reason: LossReason) => void) | undefined;
  /** Released by {@link give}, and written by nobody else. */
  isGiven = false;
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #context: Context;
  readonly #minimumHold: MinimumHold | undefined;
  readonly #validity: LeaseValidity;
  readonly #healing: LeaseHealing;
  readonly #renewal: LeaseRenewal;
  #state: "held" | "lost" | "released" = "held";
  #lossReason: LossReason | undefined;
  #lossCause: LossCause | undefined;
  #releasing: Promise<ReleaseResult> | undefined;

  constructor(context: Context, grant: Grant) {
    this.#context = context;
    this.keys = grant.keys;
    this.settings = grant.settings;
    this.ownerId = grant.ownerId;
    this.fencingToken = grant.fencingToken;
    this.grantedAtMs = grant.grantedAtMs;
    const { minHoldMs, driftFactor } = grant.settings;
    if (minHoldMs) this.#minimumHold = new MinimumHold(context.clock, minHoldMs, driftFactor);
    this.run = grant.run;
    this.#validity = new LeaseValidity(grant);
    this.#healing = new LeaseHealing(context, grant, this.#validity, this);
    this.#renewal = new LeaseRenewal(context, grant, this.#validity, this.#healing, this);
    this.reschedule();
    context.observer.onGranted(this);
  }

  get state(): "held" | "lost" | "released" {
    return this.#state;
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
    return this.#validity.untilMs;
  }

  /** What is left of the validity in ms; 0 once the lock is lost or released. */
  get remainingMs(): number {
    if (this.#state !== "held") return 0;
    return Math.max(0, this.#validity.untilMs - this.#context.clock.now());
  }

  /** Whether the lock is held now, by the clock. Finds out about a loss that no timer told yet. */
  isHeld(): boolean {
    if (this.#state === "held" && !isValid(this.#context.clock.now(), this.#validity.untilMs)) {
      this.#lose("expired");
    }
    return this.#state === "held";
  }

  /** Called by the attempt: the node holds our key with the token stored. */
  onComplete(index: number): void {
    this.#healing.onComplete(index);
  }

  /** Called by the attempt: a straggler of the acquire round with which nothing is wrong. */
  onVote(index: number, vote: Vote): void {
    this.#healing.onVote(index, vote);
  }

  /** Called by the wait queues: it is our turn on that node. */
  takeTurn(index: number, waiter: Waiter): void {
    this.#healing.takeTurn(index, waiter);
  }

  /** Called by the healing and the renewal. */
  onTaken(): void {
    this.#lose("taken");
  }

  /** Called by the renewal. */
  onExtended(): void {
    // Nearly over when it is known: by a timer its loss might be told too late.
    if (this.#context.clock.now() >= this.#validity.lossAtMs) this.#lose("expired");
    else {
      this.reschedule();
      this.#context.observer.onExtended(this);
    }
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    if (this.#state !== "held") return;
    const { maxHoldMs } = this.settings;
    if (nowMs >= this.#validity.lossAtMs) this.#lose("expired");
    else if (nowMs >= this.grantedAtMs + maxHoldMs) this.#lose("maxHold");
    else {
      if (nowMs >= this.#healing.backfillAtMs) this.#healing.backfill();
      this.#renewal.wake(nowMs);
      this.reschedule();
    }
  }

  /** One extend round. Calls while one is under way share it. Never rejects. */
  extend(): Promise<ExtendResult> {
    return this.#renewal.extend();
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
      this.#context.observer.onReleasing?.(this, this.#releasing);
      if (this.#staysClosed) this.#context.waitQueues.lookAgain(this.keys);
    }
    return this.#releasing ?? Promise.resolve("expired");
  }

  /** Ends belief without a release: another process may take the lock over from this owner, while its keys last. */
  give(): void {
    if (!this.isHeld()) return;
    this.#end("released");
    this.isGiven = true;
    this.#context.observer.onReleased(this);
    this.#releasing = Promise.resolve("handedOver");
    this.#context.observer.onReleasing?.(this, this.#releasing);
  }

  #handOver(): Promise<ReleaseResult> | undefined {
    const { waitQueues, clock } = this.#context;
    // One that is kept closed is nobody's to have.
    if (!this.keys.queue.handsOver || this.#minimumHold?.keepMs !== undefined) return undefined;
    const nowMs = clock.now();
    const next = waitQueues.successorOf(this.keys, this.run, nowMs);
    if (next === undefined) return undefined;
    // The place in the queue is the acquire's business.
    const released = { ...this.#released, waiter: undefined };
    const handOver = new HandOver(this.#context, released, this.run);
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
    if (reason === "expired") this.#lossCause = this.#renewal.causeOfExpiry();
    this.#end("lost");
    this.#lossReason = reason;
    this.onLost?.(reason);
    this.#context.observer.onLost(this, reason);
  }

  /** Belief is over; from now on nothing but the release is sent. */
  #end(state: "lost" | "released"): void {
    this.#state = state;
    this.#context.waitQueues.onEnd(this);
    this.#renewal.stop();
    this.#context.schedule.remove(this);
  }

  get #released(): Released {
    const { keys, ownerId, settings, fencingToken: token } = this;
    const waiter = this.#context.waitQueues.nextOf(keys);
    const { mayHold } = this.#healing;
    return { keys, ownerId, settings, token, mayHold, waiter, keepMs: this.#minimumHold?.keepMs };
  }

  /** Whether its end is no release of the name, or may be none. */
  get #staysClosed(): boolean {
    return Boolean(this.settings.lockDelayMs) || this.#minimumHold !== undefined;
  }

  /** Called by the renewal, too: wakes up when there is something to do. */
  reschedule(): void {
    const wakeAtMs = Math.min(
      this.#validity.lossAtMs,
      this.#renewal.renewAtMs,
      this.#healing.backfillAtMs,
      this.#renewal.lateAtMs,
      this.grantedAtMs + this.settings.maxHoldMs,
    );
    this.#context.schedule.set(this, wakeAtMs);
  }
}
