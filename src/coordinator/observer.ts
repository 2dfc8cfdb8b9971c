import type { Linkable } from "./linked-set.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { LossReason } from "./loss.js";

/** A lock that was granted, as an observer sees it. */
export interface GrantedLease extends Linkable {
  readonly keys: LockKind;
  close(): Promise<void>;
  /** Belief ends at once: another of this process steals the name. */
  preempt(): void;
}

/** What the coordinator reports. Must not throw. */
export interface Observer {
  onGranted(held: GrantedLease): void;
  /** Belief in a lock ended without a release. */
  onLost(held: GrantedLease, reason: LossReason): void;
  onReleased(held: GrantedLease): void;
}
