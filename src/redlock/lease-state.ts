import type { Context } from "../coordinator/context.js";
import type { LeaseSettings } from "../coordinator/lease-settings.js";
import type { Lock } from "./lock.js";
import type { Settings } from "./settings.js";

/** What is known about a lock of ours beyond what redlock's `Lock` tells. */
export interface LeaseFacts {
  readonly context: Context;
  /** Longest life of its keys, ms. */
  readonly ttlMs: number;
  /** Lease clock of the context, ms. */
  readonly validUntilMs: number;
}

/** The lease of a lock, shared by the locks that extensions put in its place. */
export class LeaseState {
  #lease: LeaseFacts;
  /** How it ended: `unknown` if too few nodes answered its release. */
  end: "released" | "lost" | "unknown" | undefined;

  constructor(lease: LeaseFacts) {
    this.#lease = lease;
  }

  get ttlMs(): number {
    return this.#lease.ttlMs;
  }

  get context(): Context {
    return this.#lease.context;
  }

  /** What is left of the validity, ms; by a clock of its own, which others must not be mixed with. */
  get remainingMs(): number {
    const { context, validUntilMs } = this.#lease;
    return Math.max(0, validUntilMs - context.clock.now());
  }

  /** Whether it may be believed in now, by the lease clock. */
  get isHeld(): boolean {
    return this.end === undefined && this.remainingMs > 0;
  }

  /** End of the validity by the wall clock, as `Lock.expiration` has it. */
  get expiration(): number {
    return Math.floor(this.context.clock.wallUs() / 1_000 + this.remainingMs);
  }

  onExtended(lease: LeaseFacts): void {
    this.#lease = { ...lease, ttlMs: Math.max(lease.ttlMs, this.#lease.ttlMs) };
  }
}

/** Of locks that were made here; a lock whose data came from elsewhere has none at first. */
export const leases = new WeakMap<Lock, LeaseState>();

/** How long one node may take, ms: patient, since redlock itself has no such limit. */
function nodeTimeoutOf(durationMs: number, leftMs: number): number {
  // A lock that is extended at the last moment is worth more than one try.
  return Math.min(Math.max(durationMs / 5, 50), 1_000, durationMs / 2, Math.max(leftMs / 3, 20));
}

/**
 * The settings of one lease for the coordinator: never renewed by itself, and without fencing.
 *
 * @param leftMs what is left of the lock that is extended
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
    minValidityMs: 0,
    maxHoldMs: Number.POSITIVE_INFINITY,
    renew: false,
    fencing: false,
    label: "",
  };
}

/** Bit mask of all nodes. A lock may have come from elsewhere, so any of them may have its keys. */
export function allNodes({ nodes }: Context): number {
  return 2 ** nodes.length - 1;
}
