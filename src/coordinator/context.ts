import type { LockKind } from "../protocol/lock-kind.js";
import type { Admission } from "./admission.js";
import type { Clock, Entropy, NodePort } from "./ports.js";
import type { WaitQueues } from "./wait-queues.js";
import type { Proposals } from "./proposals.js";
import type { Renewals } from "./renewals.js";
import type { Schedule } from "./schedule.js";
import type { Vote } from "../protocol/operation.js";

/** What one lock manager's coordinator works with. */
export interface Context {
  readonly nodes: readonly NodePort[];
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly schedule: Schedule;
  readonly renewals: Renewals;
  /** Which attempts may begin. */
  readonly admission: Admission;
  readonly proposals: Proposals;
  /** Who waits in this process, by name. */
  readonly waitQueues: WaitQueues;
  readonly observer: Observer;
}

/** A lock that was granted, as an observer sees it. */
export interface GrantedLease {
  readonly keys: LockKind;
  close(): Promise<void>;
  /** Belief ends at once: another of this process steals the name. */
  preempt(): void;
}

/** What waits for a lock of this process. */
export interface Pending {
  /** What it wants. */
  readonly keys: LockKind;
  abort(): void;
  /**
   * Another of this process steals the name of that lock key, if it is ours, too: what was asked until
   * now must not be granted any more.
   */
  yieldTo(lockKey: string): void;
  /**
   * Calls back once, when the nodes have decided about what was asked of that lock key until now.
   *
   * @returns false if nothing is under way there
   */
  whenDecided?(lockKey: string, callback: () => void): boolean;
  /** Lease clock, ms: when the nodes were asked what they have not decided about; Infinity if they will be. */
  readonly askedMs?: number;
}

/** What the coordinator reports. Must not throw. */
export interface Observer {
  onGranted(held: GrantedLease): void;
  /** Belief in a lock ended without a release. */
  onLost(held: GrantedLease, reason: LossReason): void;
  onReleased(held: GrantedLease): void;
}

/**
 * - `expired`: validity ran out; `lossCause` says why it was not extended
 * - `taken`: so many nodes no longer hold our ownerId that no quorum can
 * - `maxHold`: the lock was held for `maxHoldMs`
 * - `closed`: its lock manager was closed
 * - `stolen`: a request of the same lock manager stole it; by another it is `taken`
 */
export type LossReason = "expired" | "taken" | "maxHold" | "closed" | "stolen";

/** The settings of one lease, resolved: every value present and checked. */
export interface LeaseSettings {
  readonly ttlMs: number;
  readonly nodeTimeoutMs: number;
  readonly driftFactor: number;
  readonly minValidityMs: number;
  readonly maxHoldMs: number;
  readonly renew: boolean;
  readonly fencing: boolean;
  readonly label: string;
  /** How long the name stays closed behind the validity, unless it is released, ms; undefined: 0. */
  readonly lockDelayMs?: number;
  /** How long the name stays closed from the grant on, also when it is released, ms; undefined: 0. */
  readonly minHoldMs?: number;
}

/** Votes by node index, as an error or a report carries them. */
export type Votes = readonly (Vote | undefined)[];
