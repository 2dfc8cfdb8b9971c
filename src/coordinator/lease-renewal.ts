import { faultVote, type OperationOf, type Vote, type Votes } from "../protocol/operation.js";
import {
  renewalAtMs,
  renewalLateAtMs,
  renewalRetryMs,
  renewalUrgentAtMs,
} from "../protocol/lease-times.js";
import { isRefusedByQuorum, tallyOf } from "../protocol/quorum.js";
import type { Context } from "./context.js";
import type { LeaseSettings } from "./lease-settings.js";
import { STALLED_PART, type LossCause } from "./loss.js";
import type { GrantedLease } from "./observer.js";
import type { Verifiable } from "./loss-news.js";
import type { Throttled } from "./admission.js";
import { Round } from "./round.js";

/** How one extend round ended. */
export type ExtendResult =
  | { readonly kind: "extended" }
  /** No quorum answered in time; the lock is still held until its validity runs out. */
  | { readonly kind: "failed"; readonly votes: Votes }
  | { readonly kind: "lost" };

/** A lease that is extended. */
export interface ExtendedLease extends GrantedLease {
  readonly state: "held" | "lost" | "released";
  /** When its first renewal is due, lease clock, ms; never where it is not renewed. */
  readonly firstRenewalAtMs: number;
  /** First send of the latest round that proved the lock, lease clock, ms. */
  readonly provenAtMs: number;
  isHeld(): boolean;
  /** Extends the key to that ttl. */
  extension(ttlMs: number, nowMs: number): OperationOf<"extend">;
  /** Too many nodes have lost the key for a quorum to hold it. */
  onTaken(): void;
  /** A quorum has extended it: its next renewal has changed. */
  onExtended(firstSendMs: number, ttlMs: number, votes: Votes): void;
  /** A straggler of the round that last extended it. */
  onExtendVote(index: number, vote: Vote): void;
  /** Its next renewal has changed. */
  reschedule(): void;
}

/** Extends a lease: automatically where renewal is on, and on request. */
export class LeaseRenewal implements Throttled, Verifiable {
  /** When the next renewal is due, lease clock, ms. */
  #renewAtMs: number;
  /** When the lease is reported as late unless it is extended first, lease clock, ms. */
  #lateAtMs = Number.POSITIVE_INFINITY;
  /** When the first renewal since the last successful extension was due, lease clock, ms; undefined before. */
  #dueMs: number | undefined;
  /** When the renewal was due that waits for room, lease clock, ms; undefined if none does. */
  #unbegunMs: number | undefined;
  readonly #context: Context;
  readonly #settings: LeaseSettings;
  readonly #lease: ExtendedLease;
  /** Votes of the last extend round since the lock was proved last. */
  #votes: Votes | undefined;
  /** The round that was sent last, while it is in flight. */
  #extending: { readonly ttlMs: number; readonly result: Promise<ExtendResult> } | undefined;
  /** A node has said that the lock has ended since that round was sent. */
  #isDoubted = false;

  constructor(context: Context, lease: ExtendedLease) {
    this.#context = context;
    this.#settings = lease.settings;
    this.#lease = lease;
    this.#renewAtMs = lease.firstRenewalAtMs;
  }

  get ownerId(): string {
    return this.#lease.ownerId;
  }

  /** When {@link wake} has something to do, lease clock, ms. */
  get wakeAtMs(): number {
    return Math.min(this.#renewAtMs, this.#lateAtMs);
  }

  /** Called by the lease at an instant at which something may be due. */
  wake(nowMs: number): void {
    if (nowMs >= this.#renewAtMs) this.#onDue(nowMs);
    if (nowMs >= this.#lateAtMs) this.#tellLate(nowMs);
  }

  /**
   * One extend round, to that ttl from now. Calls while one as long is in flight share it, unless it brings something
   * else (`isAnew`). Never rejects.
   *
   * @param dueMs of a renewal: when it was due, lease clock, ms
   */
  extend(ttlMs = this.#settings.ttlMs, isAnew = false, dueMs?: number): Promise<ExtendResult> {
    if (!this.#lease.isHeld()) return Promise.resolve({ kind: "lost" });
    const inFlight = isAnew ? undefined : this.#extending;
    if (inFlight !== undefined && inFlight.ttlMs >= ttlMs) return inFlight.result;
    const result = new Promise<ExtendResult>((resolve) =>
      this.#start(ttlMs, this.#observed(resolve, dueMs)),
    ).finally(() => {
      if (this.#extending?.result !== result) return;
      this.#extending = undefined;
      if (this.#isDoubted) this.verify();
    });
    this.#extending = { ttlMs, result };
    return result;
  }

  /** Called by the loss news. What is in flight may have been asked before the lock ended: it is asked again after that. */
  verify(): void {
    this.#isDoubted = this.#extending !== undefined;
    const isHeld = this.#lease.state === "held";
    if (!this.#isDoubted && isHeld && this.#context.lossNews.mayVerify()) void this.extend();
  }

  #observed(
    resolve: (result: ExtendResult) => void,
    dueMs: number | undefined,
  ): (result: ExtendResult) => void {
    const lease = this.#lease;
    const told = this.#context.observer.onExtending?.(lease, dueMs);
    if (told === undefined) return resolve;
    return (result) => {
      told(lease.state === "released" ? "released" : result.kind);
      resolve(result);
    };
  }

  /** It is due: begins now or when there is room. */
  #onDue(nowMs: number): void {
    if (this.#dueMs === undefined) this.#onFirstDue();
    this.#unbegunMs ??= this.#renewAtMs;
    const urgentAtMs = renewalUrgentAtMs(this.#lease.validUntilMs, this.#settings.ttlMs);
    this.#renewAtMs = Number.POSITIVE_INFINITY;
    const isUrgent = nowMs >= urgentAtMs;
    const hasBegun = this.#context.renewals.enter(this, isUrgent);
    if (!hasBegun && !isUrgent) this.#renewAtMs = urgentAtMs;
  }

  /** Called by the renewals, when there is room. */
  begin(): void {
    this.#renewAtMs = Number.POSITIVE_INFINITY;
    const dueMs = this.#unbegunMs;
    this.#unbegunMs = undefined;
    void this.extend(undefined, false, dueMs).then((result) => {
      this.#context.renewals.onEnd();
      if (result.kind !== "failed" || this.#lease.state !== "held") return;
      const nowMs = this.#context.clock.now();
      const leftMs = this.#lease.validUntilMs - nowMs;
      const unit = this.#context.entropy.unit();
      this.#renewAtMs = nowMs + renewalRetryMs(leftMs, this.#settings.ttlMs, unit);
      this.#lease.reschedule();
    });
  }

  /** The lease has ended. */
  stop(): void {
    this.#context.renewals.leave(this);
    this.#context.lossNews.delete(this);
  }

  /** Why a lease that expired was not extended. */
  causeOfExpiry(): LossCause {
    const { schedule } = this.#context;
    const { renew, ttlMs } = this.#settings;
    const votes = this.#votes;
    if (!renew && votes === undefined) return { kind: "notRenewed" };
    const forMs = schedule.longestStallMs(this.#lease.provenAtMs);
    const lateMs = this.#unbegunForMs;
    if (forMs >= ttlMs * STALLED_PART) return { kind: "stalled", forMs, lateMs };
    if (this.#unbegunMs !== undefined) return { kind: "queued", lateMs };
    // A ttl of a few ms is over before a timer fires.
    if (votes === undefined)
      return { kind: "stalled", forMs: Math.max(forMs, lateMs ?? 0), lateMs };
    const silent = faultVote("timeout", true, "no answer");
    return { kind: "unconfirmed", votes: Array.from(votes, (vote) => vote ?? silent) };
  }

  /** Since when a renewal is due that has not begun, ms; undefined if none is. */
  get #unbegunForMs(): number | undefined {
    const forMs = this.#context.clock.now() - (this.#unbegunMs ?? this.#renewAtMs);
    return forMs < 0 ? undefined : forMs;
  }

  #start(ttlMs: number, resolve: (result: ExtendResult) => void): void {
    const lease = this.#lease;
    const firstSendMs = this.#context.clock.now();
    const round = new Round(this.#context, this.#settings.nodeTimeoutMs, {
      onVerdict: (result) => {
        if (!lease.isHeld()) resolve({ kind: "lost" });
        else if (result.verdict === "won") {
          this.#onExtended(firstSendMs, ttlMs, result.votes);
          resolve({ kind: lease.isHeld() ? "extended" : "lost" });
        } else if (isRefusedByQuorum(tallyOf(result.votes))) {
          lease.onTaken();
          resolve({ kind: "lost" });
        } else resolve({ kind: "failed", votes: result.votes });
      },
      onStraggler: (index, vote, result) => {
        // Only the latest round that proved the lock may say what to heal.
        const isProof = result.verdict === "won" && lease.provenAtMs === firstSendMs;
        if (isProof) lease.onExtendVote(index, vote);
      },
    });
    this.#votes = round.votes;
    const operation = lease.extension(ttlMs, firstSendMs);
    round.send(operation, firstSendMs);
  }

  #onExtended(firstSendMs: number, ttlMs: number, votes: Votes): void {
    // A longer extension may be under way.
    if (this.#votes === votes) this.#votes = undefined;
    if (this.#settings.renew) {
      this.#renewAtMs = renewalAtMs(firstSendMs, this.#settings);
      this.#context.renewals.leave(this);
      this.#context.lossNews.add(this);
    }
    this.#dueMs = undefined;
    this.#unbegunMs = undefined;
    this.#lateAtMs = Number.POSITIVE_INFINITY;
    this.#lease.onExtended(firstSendMs, ttlMs, votes);
  }

  /** No timer wakes up for an event without listeners. */
  #onFirstDue(): void {
    const { lossNoticeMs = 0 } = this.#settings;
    this.#dueMs = this.#renewAtMs;
    if (this.#context.observer.hearsLate?.() === true) {
      this.#lateAtMs = renewalLateAtMs(this.#lease.validUntilMs, lossNoticeMs);
    }
  }

  /** Once, until the lease is extended: between a renewal that is due and the loss. */
  #tellLate(nowMs: number): void {
    this.#lateAtMs = Number.POSITIVE_INFINITY;
    this.#context.observer.onLate?.(this.#lease, nowMs - (this.#dueMs ?? nowMs));
  }
}
