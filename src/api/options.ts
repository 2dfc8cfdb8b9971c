import type { QuorateError } from "./errors.js";
import type { LockLayout } from "../protocol/lock-layout.js";

/**
 * What one piece of work wants of its lock. Passed to a {@link LockManager}, these are the defaults of all its locks.
 * `table.ts` has the default and the check of each option, and where it may be given.
 */
export interface LockOptions {
  /**
   * Life of the lock without renewal, ms. Shorter: a crashed holder blocks others for less time. Longer:
   * survives longer delays and pauses. From 10 to `maxTtlMs`; a value below 100 emits a warning.
   * @defaultValue 10_000
   */
  readonly ttlMs?: number | undefined;
  /**
   * Shown to others as the holder; stored in the lock key after the ownerId. Up to 200 characters, "" for none.
   * @defaultValue `hostname:pid`
   */
  readonly label?: string | undefined;
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
   * How long the name stays locked after the grant, ms, even if the lock is released earlier: for schedules on
   * machines whose clocks differ. The holder can finish early; others are excluded until then. Must be less than
   * `ttlMs` minus the drift allowance; a lock with less validity left is not granted. Exclusive locks of one name only.
   * @defaultValue 0
   */
  readonly minHoldMs?: number | undefined;
}

/** How an acquire waits. */
export interface WaitOptions {
  /**
   * Acquire timeout, ms; 0 does not wait. `tryAcquire` and `ifAvailable` wait, too, if it is given with the call,
   * and then result in null. The call settles within `waitMs` plus twice `nodeTimeoutMs`, or three
   * times for a permit, for `steal`, and for a shared lock or one of an owner.
   * @defaultValue 30_000 (three default leases, so it outlives a crashed holder); 0 for `tryAcquire`
   */
  readonly waitMs?: number | undefined;
  /**
   * First come, first served: strictly so in this process, where even the first attempt waits for its turn. Off: if
   * nothing waits in this process, the first attempt is sent immediately, and may find the name free just before a
   * waiter elsewhere does; after that, every acquire queues.
   *
   * Between processes, the nodes keep the order of waiters, and a waiter that does not respond within a few
   * hundredths of a second of its notification is skipped.
   * @defaultValue false
   */
  readonly fair?: boolean | undefined;
  /**
   * Refuses at once, with a {@link LockHeldError}, if the name is held and at least that many wait for it. Each waiter
   * of this process counts, and each other process in the queues of a quorum of nodes, as one. 0 never waits. A free name
   * is granted, however many wait.
   *
   * Requests that come at the same moment do not see each other in the queues, so a few more may wait. It costs one
   * more round trip before the wait.
   * @defaultValue Infinity
   */
  readonly maxWaiters?: number | undefined;
}

/**
 * - `exclusive`: no other lock of the name is held
 * - `shared`: other `shared` locks of the name can be held too
 */
export type LockMode = (typeof LOCK_MODES)[number];

export const LOCK_MODES = ["exclusive", "shared"] as const;

/** Options of {@link LockManager.acquire} and {@link LockManager.tryAcquire}. */
export interface AcquireOptions extends LockOptions, WaitOptions {
  /** Cancels the acquire (not a held lock). Rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `shared` for readers: they hold the name together, while writers hold it exclusively. For one name only. A shared
   * lock is never passed on within a process, and takes a few more commands on a node than an exclusive one.
   * @defaultValue "exclusive"
   */
  readonly mode?: LockMode | undefined;
  /**
   * Whether to join a lock that the caller's async context already holds. With `true`, `request` runs its
   * callback in a context that holds the lock; in it, `true` joins the lock immediately, and the last release
   * frees it. `acquire` and `tryAcquire` only join.
   *
   * Joining changes nothing about the lock: the other options of the joining call have no effect. In such a context,
   * an acquire that would wait for its own lock fails with the code `QUORATE_REENTRY`; `false` takes a separate lock,
   * and waits for it. The first `true` makes Node.js track contexts, which costs every promise of the process a little.
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
  /**
   * What {@link LockManager.observe} shows of the holder, such as its address: up to 1,024
   * bytes. Exclusive locks of one name only.
   * @defaultValue nothing
   */
  readonly value?: string | undefined;
}

/** Options that define the kind of a lock, which a semaphore already is. */
export type NotForPermits = "mode" | "owner" | "reentrant" | "value";

/** Options of one acquire of permits; the semaphore's options are the defaults. */
export interface PermitOptions extends Omit<AcquireOptions, NotForPermits> {
  /**
   * How many permits are acquired and released together, all or nothing.
   * @defaultValue 1
   */
  readonly permits?: number | undefined;
}

/** Options of {@link LockManager.semaphore}; except for `permits`, the defaults of all its permits. */
export interface SemaphoreOptions extends Omit<PermitOptions, "permits"> {
  /**
   * Of a semaphore, how many permits it has: an integer from 1 to 10,000, the same for all users of the name. Of an acquire, how
   * many it takes: 1 by default.
   */
  readonly permits: number;
}

/** Options of {@link LockManager.request}: those of the Web Locks API are among them. */
export interface RequestOptions extends AcquireOptions {
  /**
   * One attempt, or attempts for `waitMs` if that is given, too, like {@link LockManager.tryAcquire}; if the name is
   * held, the callback gets null. Not together with `steal` or `signal`.
   * @defaultValue false
   */
  readonly ifAvailable?: boolean | undefined;
  /**
   * Takes the lock from its holder, ahead of all waiters. Use it if the holder hangs: the holder is not asked. A
   * holder in another manager is told by the nodes; if that fails, it continues until its next renewal, or until its
   * validity ends if it does not renew.
   * Only for exclusive locks of one name; not together with `ifAvailable` or `signal`.
   *
   * A holder in this manager loses the lock before the nodes are asked. One in another manager and the new holder
   * may both act as holders for a while, and the new holder's fencing token is higher.
   * @defaultValue false
   */
  readonly steal?: boolean | undefined;
}

/** Options of {@link LockManager.elect}. */
export interface ElectOptions extends LockOptions, Pick<WaitOptions, "fair"> {
  /** Ends the election: the current term is resigned, the candidacy stopped, and the loop ends. */
  readonly signal?: AbortSignal | undefined;
  /**
   * What {@link Election.observe} shows of a leader, such as its address: up to 1,024
   * bytes. {@link Term.proclaim} changes it.
   * @defaultValue nothing
   */
  readonly value?: string | undefined;
  /**
   * Called when no leader can be elected: nodes are unreachable, or so slow that no validity was left. Once per
   * outage; the election continues.
   */
  readonly onError?: ((error: QuorateError) => void) | undefined;
}

/** Options of {@link LockManager.adopt}: of the lock, as it goes on. */
export interface AdoptOptions extends LockOptions {
  /** Cancels the adoption (not a lock that is held). Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Pauses between two attempts of one acquire, where polling is needed: while nodes do not answer, on a Redis
 * Cluster before Redis 7.0, and for locks in the layouts of other libraries. Otherwise waiters are notified by the nodes, and
 * also poll them every 400 ms to 2 s (the more names a process waits for, the less often) in case a notification
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

/**
 * Options of a {@link LockManager}: what all clients of the nodes must agree on, what describes the network, and the
 * defaults of its locks.
 */
export interface LockManagerOptions extends LockOptions, WaitOptions {
  /** Prefix of lock keys. @defaultValue "lock:" */
  readonly keyPrefix?: string | undefined;
  /**
   * Format of the locks on the nodes, which decides which other locks they exclude. All users of a name must
   * agree: a lock that meets another layout fails with `QUORATE_MIXED_LAYOUT`.
   * @defaultValue "redlock"
   */
  readonly layout?: LockLayout | undefined;
  /**
   * Timeout of one operation on one node, ms. Shorter: faults cost less time. Longer: tolerates slow networks.
   * Limited to half of a lock's `ttlMs`.
   * @defaultValue a twentieth of the lock's `ttlMs`, clamped to 50 to 1_000, at most half of `ttlMs`
   */
  readonly nodeTimeoutMs?: number | undefined;
  /**
   * Longest ttl (plus its `lockDelayMs`) of any lock on these nodes, ms, and how long a node that lost its data
   * does not vote. Shorter: such a node votes again sooner. The nodes have it on record. A value that is set raises the
   * records, for all clients. Otherwise theirs is the limit, and a call's `ttlMs` is at most 60_000, or the manager's.
   * @defaultValue 60_000 on new nodes, otherwise the value on record
   */
  readonly maxTtlMs?: number | undefined;
  /**
   * How much the wall clock of a node may gain on real time between two renewals of a lock, ms, by steps and
   * slewing together, without letting in a second holder. Keys live that much longer than the lock. Longer: survives
   * larger steps. Shorter: a process that tries once after a crash finds the name free sooner. 0: for nodes whose
   * clocks are never stepped forward. No effect in the layouts of other libraries, whose keys have their own lifetime.
   *
   * Steps back are harmless. After a crash, the name stays locked that much longer for clients that have not tried
   * before; clients that wait, or try again, measure on their own clock and get it after one ttl.
   * @defaultValue 5_000
   */
  readonly clockStepMs?: number | undefined;
  /**
   * How much the clocks of client and node may differ in rate, relative. 0.01 allows each 0.5 %.
   * @defaultValue 0.01
   */
  readonly driftFactor?: number | undefined;
  /**
   * Shortest and longest pause between two attempts of one acquire, where polling is needed: while nodes do not answer,
   * on a Redis Cluster before Redis 7.0, and in the layouts of other libraries.
   * @defaultValue `{ minDelayMs: 10, maxDelayMs: 250 }`
   */
  readonly retry?: RetryOptions | undefined;
  /**
   * Whether a node that lost its data (restart, FLUSHALL, failover) is kept from voting for `maxTtlMs`. `auto`: except
   * for nodes without any record that are all seen together, which are a new deployment and vote immediately.
   * `always`: those, too. `off`: never; the restart of one node can let in a second holder.
   * @defaultValue "auto"
   */
  readonly quarantine?: Quarantine | undefined;
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
  /**
   * How long before the end of its validity a lock that was not renewed is reported as late, ms: by the event
   * `late` of its LockManager and on the channel `quorate:late`. Longer: more time to stop work. Shorter: fewer
   * reports of renewals that succeed after all. For a lock with less validity left when its renewal is due, the
   * default counts. 0: no report. Without `renew` there is none.
   * @defaultValue half of the validity left when a renewal is due, about a third of `ttlMs`
   */
  readonly lossNoticeMs?: number | undefined;
}

export type Quarantine = (typeof QUARANTINES)[number];

export const QUARANTINES = ["auto", "always", "off"] as const;
