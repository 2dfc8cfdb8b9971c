import type { Run } from "../protocol/pass-on-run.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Vote } from "../protocol/operation.js";
import { isValid } from "../protocol/validity.js";
import type { Waiter } from "../protocol/waiter.js";
import type { Context } from "./context.js";
import type { Grant } from "./grant.js";
import { PassOn } from "./pass-on.js";
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
 * `held` is left once, for `lost` or `released`. After that only the release is sent, so on every node the release is
 * this ownerId's last operation.
 */
export class Lease implements GrantedLease, ManagedLease, Sleeper, HealedLease, ExtendedLease {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly settings: LeaseSettings;
  readonly run: Run;
  readonly grantedAtMs: number;
  /** Called immediately when the lock is lost, that is, ends without a release. */
  onLost: ((reason: LossReason) => void) | undefined;
  /** Set by {@link give} only. */
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

  /** Of an expired lease: why it was not extended. */
  get lossCause(): LossCause | undefined {
    return this.#lossCause;
  }

  /** Lease clock, ms. The lock counts as held until this instant at the latest. */
  get validUntilMs(): number {
    return this.#validity.untilMs;
  }

  /** What is left of the validity in ms; 0 once the lock is lost or released. */
  get remainingMs(): number {
    if (this.#state !== "held") return 0;
    return Math.max(0, this.#validity.untilMs - this.#context.clock.now());
  }

  /** Whether the lock is held now, by the clock. Detects a loss that no timer has reported yet. */
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

  /** Called by the wait queues: that node has notified us. */
  takeTurn(index: number, waiter: Waiter): void {
    this.#healing.takeTurn(index, waiter);
  }

  /** Called by the healing and the renewal. */
  onTaken(): void {
    this.#lose("taken");
  }

  /** Called by the renewal. */
  onExtended(): void {
    // Little validity is left when the grant is known: a timer might report the loss too late.
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

  /** One extend round. Calls while one is in flight share it. Never rejects. */
  extend(): Promise<ExtendResult> {
    return this.#renewal.extend();
  }

  /**
   * Ends the lock on all nodes, including those that are down. Where it can be passed on to the next waiter of this
   * process, the round that acquires it does both. Resolves when a quorum has answered or nothing more can come;
   * never rejects.
   */
  release(): Promise<ReleaseResult> {
    if (this.#state === "held") {
      // A lease that has ended was not released in time, whatever the nodes still hold.
      if (!this.isHeld()) return Promise.resolve("expired");
      this.#end("released");
      this.#context.observer.onReleased(this);
      this.#releasing = this.#passOn() ?? release(this.#context, this.#released);
      this.#context.observer.onReleasing?.(this, this.#releasing);
      if (this.#staysClosed) this.#context.waitQueues.lookAgain(this.keys);
    }
    return this.#releasing ?? Promise.resolve("expired");
  }

  /** Ends the lock here without a release: another process may take it over from this owner, while its keys last. */
  give(): void {
    if (!this.isHeld()) return;
    this.#end("released");
    this.isGiven = true;
    this.#context.observer.onReleased(this);
    this.#releasing = Promise.resolve("handedOver");
    this.#context.observer.onReleasing?.(this, this.#releasing);
  }

  #passOn(): Promise<ReleaseResult> | undefined {
    const { waitQueues, clock } = this.#context;
    // A name that is kept closed is available to nobody.
    if (!this.keys.queue.passesOn || this.#minimumHold?.keepMs !== undefined) return undefined;
    const nowMs = clock.now();
    const next = waitQueues.successorOf(this.keys, this.run, nowMs);
    if (next === undefined) return undefined;
    // The acquire manages the place in the queue.
    const released = { ...this.#released, waiter: undefined };
    const passOn = new PassOn(this.#context, released, this.run);
    next.receive(passOn, nowMs);
    return passOn.result;
  }

  /** Gives the lock up because its manager closes; the holder is notified as of any other loss. */
  async close(): Promise<void> {
    if (!this.isHeld()) return;
    const released = release(this.#context, this.#released);
    this.#leave("closed");
    await released;
  }

  /** Another request of this process steals the name. Called before that request asks, so this lock ends first. */
  preempt(): void {
    if (this.isHeld()) this.#lose("stolen");
  }

  #lose(reason: LossReason): void {
    if (this.#state !== "held") return;
    // After extends and heals that may still arrive; before anybody is notified, so that no listener's reaction can
    // come first. With a lock-delay the name stays closed: the keys are left to expire.
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

  /** The lock is no longer held; from now on only the release is sent. */
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

  /** Whether it ends without a release of the name, or may do so. */
  get #staysClosed(): boolean {
    return Boolean(this.settings.lockDelayMs) || this.#minimumHold !== undefined;
  }

  /** Called by the renewal, too: sets the next wake-up. */
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
