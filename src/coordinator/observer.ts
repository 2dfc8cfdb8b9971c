import type { Linkable } from "./linked-set.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { LossCause, LossReason } from "./loss.js";
import type { ReleaseResult } from "./release-result.js";
import type { WatchedRound } from "./watched-round.js";

/** A lock that was granted, as an observer sees it. */
export interface GrantedLease {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly settings: LeaseSettings;
  /** Lease clock, ms. Belief ends at this instant at the latest. */
  readonly validUntilMs: number;
  /** Lease clock, ms; undefined where only the coordinator's user knows. */
  readonly grantedAtMs?: number;
  /** Of one that expired: why it was not extended. */
  readonly lossCause?: LossCause | undefined;
}

/** One that its lock manager may end. */
export interface ManagedLease extends Linkable {
  readonly keys: LockKind;
  close(): Promise<void>;
  /** Belief ends at once: another of this process steals the name. */
  preempt(): void;
}

/**
 * What is reported of the locks of this process. Called from within, so it must not throw, nor come back to the
 * coordinator before it has returned. What is optional is called only where it is there, and may be costly to hear.
 */
export interface Observer {
  onGranted(held: GrantedLease): void;
  /** A quorum has extended it: its validity may be another now. */
  onExtended(held: GrantedLease): void;
  /** Belief in a lock ended without a release. */
  onLost(held: GrantedLease, reason: LossReason): void;
  onReleased(held: GrantedLease): void;
  /** Whether {@link Observer.onLate} is for anybody; asked when a renewal is due. */
  hearsLate?(): boolean;
  /**
   * A lock that is renewed by itself was not, and is near the end of its validity. Once, until it is extended.
   *
   * @param lateMs since when its renewal was due
   */
  onLate?(held: GrantedLease, lateMs: number): void;
  /**
   * An extend round is about to be sent.
   *
   * @param dueMs when it was due, lease clock, ms; undefined for one that was asked for
   * @returns who is told how it ended, if anybody is
   */
  onExtending?(held: GrantedLease, dueMs: number | undefined): ExtendListener | undefined;
  /** Its release, or what takes its place, is on its way; belief has ended before. */
  onReleasing?(held: GrantedLease, result: Promise<ReleaseResult>): void;
  /** Whether {@link Observer.onRound} is for anybody; asked before each round. */
  hearsRounds?(): boolean;
  /** All nodes have answered a round, or their time is over. */
  onRound?(round: WatchedRound): void;
  /**
   * One acquire more, or less, waits in this process.
   *
   * @param count so many wait for the name now
   */
  onWaiting?(keys: LockKind, count: number, change: 1 | -1): void;
}

/** Told once how an extend round ended; `released` if the lock was meanwhile. */
export type ExtendListener = (outcome: "extended" | "failed" | "lost" | "released") => void;

/** Nobody wants to know. */
export const UNOBSERVED: Observer = {
  onGranted: () => {},
  onExtended: () => {},
  onLost: () => {},
  onReleased: () => {},
};
