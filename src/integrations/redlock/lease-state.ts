import type { Context } from "../../coordinator/context.js";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { UNOBSERVED, type GrantedLease, type Observer } from "../../coordinator/observer.js";
import { severalLock } from "../../kinds/several.js";
import { lossAtMs } from "../../protocol/validity.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import type { Lock } from "./lock.js";
import type { Released } from "./release-all.js";
import type { Settings } from "./settings.js";

/** The proof of a lock by one acquire or extend. */
export interface LeaseFacts {
  readonly context: Context;
  readonly settings: LeaseSettings;
  /** Lease clock of the context, ms. */
  readonly validUntilMs: number;
}

/**
 * What is known about a lock beyond redlock's `Lock`: its lease, shared by the locks that extensions return in its
 * place. Reports its events to the observer.
 */
export class LeaseState implements GrantedLease {
  /** The value in the lock keys. */
  readonly ownerId: string;
  readonly fencingToken = undefined;
  readonly #keys: readonly LockKind[];
  #lease: LeaseFacts;
  #ttlMs: number;
  #end: "released" | "lost" | "unknown" | undefined;

  constructor(keys: readonly LockKind[], ownerId: string, lease: LeaseFacts) {
    this.#keys = keys;
    this.ownerId = ownerId;
    this.#lease = lease;
    this.#ttlMs = lease.settings.ttlMs;
    this.#observer.onGranted(this);
  }

  /** All resources together. */
  get keys(): LockKind {
    return severalLock(this.#keys);
  }

  /** Longest ttl of its keys, ms. */
  get ttlMs(): number {
    return this.#ttlMs;
  }

  get context(): Context {
    return this.#lease.context;
  }

  get settings(): LeaseSettings {
    return this.#lease.settings;
  }

  get validUntilMs(): number {
    return this.#lease.validUntilMs;
  }

  /** How it ended: `unknown` if too few nodes have answered its release. */
  get end(): "released" | "lost" | "unknown" | undefined {
    return this.#end;
  }

  /** Remaining validity, ms; by a separate clock, which must not be mixed with others. */
  get remainingMs(): number {
    const { context, validUntilMs } = this.#lease;
    return Math.max(0, validUntilMs - context.clock.now());
  }

  /** In how many ms a timer ends it. */
  get lossInMs(): number {
    const { context, validUntilMs } = this.#lease;
    return Math.max(0, lossAtMs(validUntilMs) - context.clock.now());
  }

  /** Whether it is valid now, by the lease clock. */
  get isHeld(): boolean {
    return this.#end === undefined && this.remainingMs > 0;
  }

  /** End of the validity by the wall clock, as `Lock.expiration` has it. */
  get expiration(): number {
    return Math.floor(this.context.clock.wallUs() / 1_000 + this.remainingMs);
  }

  onExtended(lease: LeaseFacts): void {
    this.#lease = lease;
    this.#ttlMs = Math.max(lease.settings.ttlMs, this.#ttlMs);
    this.#observer.onExtended(this);
  }

  /** A release is about to be sent: the lock ends before that. */
  onReleasing(): void {
    if (this.isHeld) this.#observer.onReleased(this);
    this.#end ??= "unknown";
  }

  /** The outcome of the release. */
  onReleased(released: Released): void {
    if (this.#end !== "lost") this.#end = released;
  }

  /** It ended without a release: because of a quorum, or by the clock. */
  lose(reason: "taken" | "expired"): void {
    if (this.#end !== undefined) return;
    this.#end = "lost";
    this.#observer.onLost(this, reason);
  }

  /** redlock allows a lock of no resources; there is nothing to report about it. */
  get #observer(): Observer {
    return this.#keys.length === 0 ? UNOBSERVED : this.context.observer;
  }
}

/** For locks that were acquired here; a lock whose data came from elsewhere has none at first. */
export const leases = new WeakMap<Lock, LeaseState>();

/** Node timeout, ms: patient, since redlock itself has no such limit. */
function nodeTimeoutOf(durationMs: number, leftMs: number): number {
  // A lock that is extended at the last moment is worth more than one try.
  return Math.min(Math.max(durationMs / 5, 50), 1_000, durationMs / 2, Math.max(leftMs / 3, 20));
}

/**
 * The settings of one lease for the coordinator: never renewed automatically, and without fencing.
 *
 * @param leftMs remaining validity of the lock that is extended
 */
export function leaseSettings(
  durationMs: number,
  { driftFactor }: Settings,
  leftMs = Number.POSITIVE_INFINITY,
): LeaseSettings {
  return {
    ttlMs: durationMs,
    nodeTimeoutMs: nodeTimeoutOf(durationMs, leftMs),
    driftFactor,
    maxHoldMs: Number.POSITIVE_INFINITY,
    renew: false,
    fencing: false,
    label: "",
  };
}
