// Long because it is the documentation of all options.
import { hostname } from "node:os";
import type { QuorateError } from "./errors.js";
import type { LockLayout } from "./lock-layout.js";

/**
 * Settings of one lock. Passed to a {@link LockManager}, they are the defaults of all its locks.
 *
 * In TypeScript, this type and all option types below assume that fencing is on. Options with `fencing: false` have the
 * type `LockOptions<false>`; if the value is not known at compile time, `LockOptions<boolean>`.
 */
export interface LockOptions<Fencing extends boolean = true> {
  /**
   * Life of the lock without renewal, ms. Shorter: a crashed holder blocks others for less time. Longer:
   * survives longer delays and pauses. From 10 to `maxTtlMs`; a value below 100 emits a warning.
   * @defaultValue 10_000
   */
  readonly ttlMs?: number | undefined;
  /**
   * Timeout of one operation on one node, ms. Shorter: faults cost less time. Longer: tolerates slow networks.
   * Must be less than `ttlMs`.
   * @defaultValue a twentieth of `ttlMs`, clamped to 50 to 1_000, at most half of `ttlMs`
   */
  readonly nodeTimeoutMs?: number | undefined;
  /**
   * Minimum validity left when the lock is granted, ms. Higher: no lock that is about to expire is returned.
   * Lower: slow quorums still get their lock.
   * @defaultValue 0, that is, any validity
   */
  readonly minValidityMs?: number | undefined;
  /**
   * Whether the lock is renewed automatically, every third of its ttl, until it is released. Off: it ends after
   * one ttl, unless {@link Lock.extend} is called.
   * @defaultValue true
   */
  readonly renew?: boolean | undefined;
  /**
   * Longest time that the lock is held, ms. Then it is lost with reason `maxHold`. Finite: a callback that
   * hangs cannot keep the name. Infinite: leaders remain leaders.
   * @defaultValue Infinity
   */
  readonly maxHoldMs?: number | undefined;
  /**
   * How long the name stays locked after the lock was lost (not released), ms: for stores that cannot check a
   * fencing token. Writes that the holder had in flight then have that long to arrive before another holder can
   * start. Longer: covers slower writes. Shorter: after a crash, others continue sooner. Together with
   * `ttlMs` at most `maxTtlMs`.
   * @defaultValue 0
   */
  readonly lockDelayMs?: number | undefined;
  /**
   * How much the wall clock of a node may gain on real time between two renewals of the lock, ms, by steps and
   * slewing together, without letting in a second holder. Steps back are harmless. Keys live that much longer
   * than the lock. So after a crash, the name stays locked that much longer for clients that have not tried
   * before; clients that wait, or try again, measure on their own clock and get it after one ttl. Longer:
   * survives larger steps. Shorter: a process that tries once after a crash finds the name free sooner. 0: for
   * nodes whose clocks are never stepped forward. For a single lock, it must be at most the value of its manager,
   * which the nodes have on record. No effect in the layouts of other libraries, whose keys have their own lifetime.
   * @defaultValue 5_000
   */
  readonly clockStepMs?: number | undefined;
  /**
   * How long the name stays locked after the grant, ms, even if the lock is released earlier: for schedules on
   * machines whose clocks differ. The holder can finish early; others are excluded until then. Must be less than
   * `ttlMs` minus the drift allowance; a lock with less validity left is not granted. Exclusive locks of one name only.
   * @defaultValue 0
   */
  readonly minHoldMs?: number | undefined;
  /**
   * How long before the end of its validity a lock that was not renewed is reported as late, ms: by the event
   * `late` of its LockManager and on the channel `quorate:late`. Longer: more time to stop work. Shorter: fewer
   * reports of renewals that succeed after all. Must be less than the validity left when a renewal is due
   * (`ttlMs` minus the drift allowance, minus a third of it); 0 for no report. Without `renew` there is none.
   * @defaultValue half of the validity left when a renewal is due, about a third of `ttlMs`
   */
  readonly lossNoticeMs?: number | undefined;
  /**
   * Whether locks have a fencing token. Off: less work for the nodes, sometimes one round trip less, and
   * nothing that a store could check.
   * @defaultValue true
   */
  readonly fencing?: Fencing | undefined;
  /**
   * Shown to others as the holder; stored in the lock key after the ownerId. Up to 200 characters, "" for none.
   * @defaultValue `hostname:pid`
   */
  readonly label?: string | undefined;
  /**
   * Format of the lock on the nodes, which decides which other locks it excludes. All users of a name must
   * agree: a lock that meets another layout fails with a MixedLayoutError.
   * @defaultValue "redlock"
   */
  readonly layout?: LockLayout | undefined;
}

/**
 * Pauses between two attempts of one acquire, where polling is needed: while nodes do not answer, on a Redis
 * Cluster, and for locks in the layouts of other libraries. Otherwise waiters are notified by the nodes, and
 * also poll them every 250 ms to 2 s (the more names a process waits for, the less often) in case a notification
 * was lost.
 */
export interface RetryOptions {
  /** Shortest pause, ms, unless the name becomes free sooner. @defaultValue 10 */
  readonly minDelayMs?: number | undefined;
  /**
   * Longest pause, ms; jittered over its upper half, and at most 2 s where waiters queue on the nodes. Shorter:
   * polling finds a free name sooner. Longer: less load.
   * @defaultValue 250
   */
  readonly maxDelayMs?: number | undefined;
}

/** How an acquire waits. */
export interface WaitOptions {
  /**
   * Acquire timeout, ms; 0 makes one attempt. The call settles within `waitMs` plus twice `nodeTimeoutMs`, or three
   * times for a permit, for `steal`, and for a shared lock or one of an owner with fencing.
   * @defaultValue 30_000 (three default leases, so it outlives a crashed holder); 0 for `tryAcquire`
   */
  readonly waitMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * First come, first served: strictly so in this process, where even the first attempt waits for its turn.
   * Between processes, the nodes keep the order of waiters, and a waiter that does not respond within a few
   * hundredths of a second of its notification is skipped. Off: if nothing waits in this process, the first
   * attempt is sent immediately, and may find the name free just before a waiter elsewhere does; after that,
   * every acquire queues.
   * @defaultValue false
   */
  readonly fair?: boolean | undefined;
}

/**
 * - `exclusive`: no other lock of the name is held
 * - `shared`: other `shared` locks of the name can be held too
 */
export type LockMode = (typeof LOCK_MODES)[number];

export const LOCK_MODES = ["exclusive", "shared"] as const;

/** Options of {@link LockManager.acquire} and {@link LockManager.tryAcquire}. */
export interface AcquireOptions<Fencing extends boolean = true>
  extends LockOptions<Fencing>, WaitOptions {
  /**
   * `shared` for readers: they hold the name together, while writers hold it exclusively. A shared lock is
   * never handed over within a process, and costs a node about twice the work of an exclusive one.
   * @defaultValue "exclusive"
   */
  readonly mode?: LockMode | undefined;
  /**
   * Whether to join a lock that the caller's async context already holds. With `true`, `request` runs its
   * callback in a context that holds the lock; in it, `true` joins the lock immediately, and the last release
   * frees it. `acquire` and `tryAcquire` only join. Joining changes nothing about the lock: the other options
   * of the joining call have no effect. In such a context, an acquire that would wait for its own lock throws a
   * {@link ReentryError}; `false` takes a separate lock, and waits for it. The first `true` makes Node.js track
   * contexts, which costs every promise of the process a little.
   * @defaultValue undefined: never joins
   */
  readonly reentrant?: boolean | undefined;
  /**
   * The owner: a job, a request, anything that runs in several processes. While an owner holds a name, it can
   * acquire it again from any process, ahead of all waiters. Every hold has its own lease, and the name is free
   * when the last hold was released or has expired. 1 to 200 characters, not beginning with "quorate:".
   * @defaultValue none: every lock is its own owner
   */
  readonly owner?: string | undefined;
  /** Cancels the acquire (not a held lock). Rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options that define the kind of a lock, which a semaphore already is. */
export const NOT_FOR_PERMITS = ["mode", "owner", "layout", "reentrant"] as const;

/** Options of one acquire of a permit; the semaphore's options are the defaults. */
export type PermitOptions<Fencing extends boolean = true> = Omit<
  AcquireOptions,
  (typeof NOT_FOR_PERMITS)[number] | "fencing"
> &
  Pick<LockOptions<Fencing>, "fencing">;

/** Options of {@link LockManager.semaphore}; except for `permits`, the defaults of all its permits. */
export interface SemaphoreOptions<Fencing extends boolean = true> extends PermitOptions<Fencing> {
  /** Maximum number of holders: an integer from 1 to 1,000, the same for all users of the name. */
  readonly permits: number;
}

/** Options of {@link LockManager.request}: those of the Web Locks API are among them. */
export interface RequestOptions<Fencing extends boolean = true> extends AcquireOptions<Fencing> {
  /**
   * One attempt, or attempts for `waitMs` if that is given, too, like {@link LockManager.tryAcquire}; if the name is held, the callback gets null. Not together
   * with `steal` or `signal`.
   * @defaultValue false
   */
  readonly ifAvailable?: boolean | undefined;
  /**
   * Takes the lock from its holder, ahead of all waiters. Use it if the holder hangs: the holder is not asked. A
   * holder in this manager loses the lock before the nodes are asked. A holder in another manager may continue
   * until its next renewal, or until its validity ends if it does not renew. Until then both act as holders,
   * and the new holder's fencing token is higher. Only for exclusive locks of one name; not together with
   * `ifAvailable` or `signal`.
   * @defaultValue false
   */
  readonly steal?: boolean | undefined;
}

/** Options of {@link LockManager.elect}. */
export interface ElectOptions<Fencing extends boolean = true>
  extends LockOptions<Fencing>, Pick<WaitOptions, "retry" | "fair"> {
  /** Ends the election: the current term is resigned, the candidacy stopped, and the loop ends. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called when no leader can be elected: nodes are unreachable, or so slow that no validity was left. Once per
   * outage; the election continues.
   */
  readonly onError?: ((error: QuorateError) => void) | undefined;
}

/** Options of a {@link LockManager}. Its {@link LockOptions} and {@link WaitOptions} are the defaults of its locks. */
export interface LockManagerOptions<Fencing extends boolean = true>
  extends LockOptions<Fencing>, WaitOptions {
  /**
   * Longest ttl (plus its `lockDelayMs`) of any lock on these nodes, ms, and how long a node that lost its data
   * does not vote. Shorter: such a node votes again sooner. All clients of the nodes should agree; the largest
   * value on record counts.
   * @defaultValue 60_000, or `ttlMs` plus `lockDelayMs` if that is larger
   */
  readonly maxTtlMs?: number | undefined;
  /**
   * How much the clocks of client and node may differ in rate, relative. 0.01 allows each 0.5 %.
   * @defaultValue 0.01
   */
  readonly driftFactor?: number | undefined;
  /** Prefix of lock keys. @defaultValue "lock:" */
  readonly keyPrefix?: string | undefined;
  /**
   * Whether a node that lost its data (restart, FLUSHALL, failover) is kept from voting for `maxTtlMs`. Off:
   * the restart of one node can let in a second holder.
   * @defaultValue true
   */
  readonly quarantine?: boolean | undefined;
  /**
   * `auto`: nodes without any record, all seen together, are a new deployment and vote immediately. `explicit`:
   * they wait for `maxTtlMs` like any node that lost its data.
   * @defaultValue "auto"
   */
  readonly bootstrap?: "auto" | "explicit" | undefined;
  /**
   * Use nodes even if their eviction policy can delete held locks. Only for nodes where `maxmemory` is never reached.
   * @defaultValue false
   */
  readonly allowEviction?: boolean | undefined;
  /**
   * How long `request` waits for its callback after its lock was lost before it rejects, ms. Longer: the
   * callback's own error is reported with the loss.
   * @defaultValue 1_000
   */
  readonly lossGraceMs?: number | undefined;
}

/** All defaults. `undefined` where the default is derived, as documented at the option. */
export const DEFAULTS = Object.freeze({
  ttlMs: 10_000,
  nodeTimeoutMs: undefined,
  minValidityMs: 0,
  renew: true,
  maxHoldMs: Number.POSITIVE_INFINITY,
  lockDelayMs: 0,
  minHoldMs: 0,
  clockStepMs: 5_000,
  lossNoticeMs: undefined,
  fencing: true,
  label: `${hostname()}:${process.pid}`.slice(0, 200),
  layout: "redlock",
  waitMs: 30_000,
  retry: Object.freeze({ minDelayMs: 10, maxDelayMs: 250 }),
  fair: false,
  maxTtlMs: 60_000,
  driftFactor: 0.01,
  keyPrefix: "lock:",
  quarantine: true,
  bootstrap: "auto",
  allowEviction: false,
  lossGraceMs: 1_000,
});
