import type { Linkable } from "./linked-set.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { LossCause, LossReason } from "./loss.js";
import type { ReleaseResult } from "./release-result.js";
import type { RoundObserver } from "./round.js";

/** A lock that was granted, as an observer sees it. */
export interface GrantedLease {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly settings: LeaseSettings;
  /** Lease clock, ms. The lock counts as held until this instant at the latest. */
  readonly validUntilMs: number;
  /** Lease clock, ms; undefined where only the coordinator's caller knows. */
  readonly grantedAtMs?: number;
  /** Of an expired lock: why it was not extended. */
  readonly lossCause?: LossCause | undefined;
}

/** A lock that its lock manager may end. */
export interface ManagedLease extends Linkable {
  readonly keys: LockKind;
  readonly ownerId: string;
  close(): Promise<void>;
  /** The lock ends immediately: another request of this process steals the name. @returns sends its release, once */
  preempt(): () => void;
  /** The lock ends immediately: a quorum of nodes no longer has it. */
  onTaken(): void;
}

/**
 * What is reported about the locks of this process. Called synchronously, so it must not throw or call back into the
 * coordinator before it returns. Optional members are called only if present, and may be expensive.
 */
export interface Observer extends RoundObserver {
  onGranted(held: GrantedLease): void;
  /** A quorum has extended it: its validity may have changed. */
  onExtended(held: GrantedLease): void;
  /** A lock ended without a release. */
  onLost(held: GrantedLease, reason: LossReason): void;
  onReleased(held: GrantedLease): void;
  /** Whether anybody listens to {@link Observer.onLate}; asked when a renewal is due. */
  hearsLate?(): boolean;
  /**
   * An automatically renewed lock was not renewed and is near the end of its validity. Once, until it is extended.
   *
   * @param lateMs since when its renewal was due
   */
  onLate?(held: GrantedLease, lateMs: number): void;
  /**
   * An extend round is about to be sent.
   *
   * @param dueMs when it was due (a retry: when that was), lease clock, ms; undefined for a requested one
   * @returns what is called once with its outcome, `released` if the lock was released meanwhile; undefined if nobody
   *   listens
   */
  onExtending?(
    held: GrantedLease,
    dueMs: number | undefined,
  ): ((outcome: "extended" | "failed" | "lost" | "released") => void) | undefined;
  /** Its release, or what replaces it, is being sent; the lock is no longer held. */
  onReleasing?(held: GrantedLease, result: Promise<ReleaseResult>): void;
  /**
   * The number of waiting acquires of this process has changed by one.
   *
   * @param count acquires that now wait for the name
   */
  onWaiting?(keys: LockKind, count: number, change: 1 | -1): void;
}
