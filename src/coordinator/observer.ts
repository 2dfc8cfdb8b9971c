import type { Linkable } from "./linked-set.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { LeaseSettings } from "./lease-settings.js";
import type { LossReason } from "./loss.js";

/** A lock that was granted, as an observer sees it. */
export interface GrantedLease {
  readonly keys: LockKind;
  readonly ownerId: string;
  readonly fencingToken: number | undefined;
  readonly settings: LeaseSettings;
  /** Lease clock, ms. Belief ends at this instant at the latest. */
  readonly validUntilMs: number;
}

/** One that its lock manager may end. */
export interface ManagedLease extends Linkable {
  readonly keys: LockKind;
  close(): Promise<void>;
  /** Belief ends at once: another of this process steals the name. */
  preempt(): void;
}

/** What is reported of the locks of this process. Must not throw. */
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
}

/** Nobody wants to know. */
export const UNOBSERVED: Observer = {
  onGranted: () => {},
  onExtended: () => {},
  onLost: () => {},
  onReleased: () => {},
};
