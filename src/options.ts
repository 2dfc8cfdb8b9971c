// Long because it is the documentation of all options.
import { hostname } from "node:os";
import type { QuorateError } from "./errors.js";
import type { LockLayout } from "./lock-layout.js";

/**
 * Settings of one lock. Given to a {@link LockManager} they are the defaults of all its locks.
 *
 * In TypeScript, here and in all options below, fencing is on: where `fencing: false` is among them the
 * type is `LockOptions<false>`, and `LockOptions<boolean>` where it may be.
 */
export interface LockOptions<Fencing extends boolean = true> {
  /**
   * Life of the lock without renewal, ms. Shorter: a crashed holder blocks the others for less
   * time. Longer: more delay and longer pauses are survived. From 10 to `maxTtlMs`; below 100 it gives a
   * warning.
   * @defaultValue 10_000
   */
  readonly ttlMs?: number | undefined;
  /**
   * How long one node may take for one operation, ms, before it counts as a fault. Shorter: faults
   * cost less. Longer: slow networks still work. Less than `ttlMs`.
   * @defaultValue a twentieth of `ttlMs`, but from 50 to 1_000 and at most half of `ttlMs`
   */
  readonly nodeTimeoutMs?: number | undefined;
  /**
   * Validity, ms, that must be left when the lock is granted. Higher: no lock that is nearly over
   * is handed out. Lower: slow quorums still get their lock.
   * @defaultValue 0, that is: more than nothing
   */
  readonly minValidityMs?: number | undefined;
  /**
   * Whether the lock is extended by itself every third of its ttl until it is released. Off: it
   * ends after one ttl, unless {@link Lock.extend} is called.
   * @defaultValue true
   */
  readonly renew?: boolean | undefined;
  /**
   * Longest time a lock may be held, ms. Then it is given up as lost, with reason `maxHold`.
   * Finite: a routine that hangs cannot keep the name for ever. Infinite: leaders stay leaders.
   * @defaultValue Infinity
   */
  readonly maxHoldMs?: number | undefined;
  /**
   * How long the name stays closed after the lock ended by a failure and not by a release, ms: for
   * stores that cannot check a fencing token. What a holder had under way when it lost the lock then has that
   * long to arrive before anybody else may begin. Longer: later writes are waited for. Shorter: after
   * a crash others go on sooner. With `ttlMs` not more than `maxTtlMs`.
   * @defaultValue 0
   */
  readonly lockDelayMs?: number | undefined;
  /**
   * How much the wall clock of a node may gain on real time between two renewals of the lock, ms, by steps and
   * slewing together, without a second holder. Steps back are harmless. The keys live for that much longer than the
   * lock, so the name of a holder that crashed stays closed for that much longer to those who have not asked for it
   * before; whoever has asked, or asks again, goes by its own clock and gets it after one ttl. Longer: larger steps
   * are survived. Shorter: a process that asks once after a crash finds the name free sooner. 0: nodes whose
   * clocks are never stepped forward. Of a single lock not more than its manager's, which the nodes have on record.
   * Has no effect in the layouts of other libraries, whose keys live as they do there.
   * @defaultValue 5_000
   */
  readonly clockStepMs?: number | undefined;
  /**
   * How long the name stays closed from the grant on, ms, also if the lock is released earlier: for
   * schedules on machines whose clocks differ. The holder is through at once; the others are kept out. Less
   * than `ttlMs` less drift: a lock with less validity left is not granted. Plain locks only.
   * @defaultValue 0
   */
  readonly minHoldMs?: number | undefined;
  /**
   * How long before the end of its validity a lock that has not been renewed is reported as late, ms: by the event
   * `late` of its LockManager and by the channel `quorate:late`. Longer: more time to stop in good order. Shorter: fewer
   * reports of renewals that succeed after all. Less than what is left when a renewal is due (`ttlMs` less drift, less
   * a third of it); 0 for no report. Without `renew` there is none.
   * @defaultValue half of what is left when a renewal is due, that is about a third of `ttlMs`
   */
  readonly lossNoticeMs?: number | undefined;
  /**
   * Whether grants carry a fencing token. Off: one key and at times one round trip less, and
   * nothing that a store could check.
   * @defaultValue true
   */
  readonly fencing?: Fencing | undefined;
  /**
   * Tells others who holds the lock; stands in the lock key behind the ownerId. Up to 200
   * characters, "" for none.
   * @defaultValue `hostname:pid`
   */
  readonly label?: string | undefined;
  /**
   * How the lock lies on the nodes, which decides with whom it excludes each other. All who lock a
   * name have to agree: one that meets another layout fails with a MixedLayoutError.
   * @defaultValue "redlock"
   */
  readonly layout?: LockLayout | undefined;
}

/**
 * Pauses between two attempts of one acquire, where attempts are needed: while nodes do not answer, on a
 * Redis Cluster, and for locks in the layouts of other libraries. Elsewhere waiters are notified by
 * the nodes, and ask them every 250 ms to 2 s (the more names a process waits for, the less often) in case a
 * notification was lost.
 */
export interface RetryOptions {
  /** Shortest pause, ms, unless the name frees itself sooner. @defaultValue 10 */
  readonly minDelayMs?: number | undefined;
  /**
   * Longest pause, ms; jittered over its upper half, and no longer than 2 s where waiters queue at the
   * nodes. Shorter: polling finds a free name sooner. Longer: less load.
   * @defaultValue 250
   */
  readonly maxDelayMs?: number | undefined;
}

/** How an acquire waits. */
export interface WaitOptions {
  /**
   * How long to go on trying, ms; 0 makes one attempt. The call is settled within `waitMs` and
   * twice `nodeTimeoutMs`.
   * @defaultValue 30_000 (three default leases: it outlives a holder that crashed); 0 for `tryAcquire`
   */
  readonly waitMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * Never before those who came earlier: exactly so in this process, where even the first attempt
   * waits for its place; between processes the nodes keep the order of those who wait already, and
   * whoever does not come within a few hundredths of a second when it is its turn is passed over.
   * Off, the first attempt goes out at once if nobody waits in this process, and may find the name
   * free just before one who waits elsewhere; after it, everyone stands in line.
   * @defaultValue false
   */
  readonly fair?: boolean | undefined;
}

/**
 * - `exclusive`: nobody else holds the name
 * - `shared`: others may hold it too, all of them `shared`
 */
export type LockMode = (typeof LOCK_MODES)[number];

export const LOCK_MODES = ["exclusive", "shared"] as const;

/** Options of {@link LockManager.acquire} and {@link LockManager.tryAcquire}. */
export interface AcquireOptions<Fencing extends boolean = true>
  extends LockOptions<Fencing>, WaitOptions {
  /**
   * Whether others may hold the name at the same time. Shared, for those who only read: they go side
   * by side, and whoever writes takes it exclusively. A shared lock is never handed over within a
   * process, and costs a node about twice the work of an exclusive one.
   * @defaultValue "exclusive"
   */
  readonly mode?: LockMode | undefined;
  /**
   * Whether this may be a lock that the caller's async context has already. `true` for `request`: its
   * callback, and all that runs in it, is a context that has the lock; there `true` joins it at once,
   * and the last release frees it. `acquire` and `tryAcquire` only join. A lock that is joined is what
   * it was: the other options of whoever joins have no effect. In such a context an acquire that would
   * wait for its own lock throws a {@link ReentryError}; `false` takes one of its own, and waits for it.
   * The first `true` makes Node.js carry contexts along, which costs every promise of the process a little.
   * @defaultValue undefined: never joins
   */
  readonly reentrant?: boolean | undefined;
  /**
   * In whose name the lock is held: a job, a request, whatever goes through several processes. While
   * an owner holds a name it gets in again, from any process, before all who wait; every hold has a
   * lease of its own, and the name is free when the last of them was released or has run out. 1 to
   * 200 characters, not beginning with "quorate:".
   * @defaultValue none: every lock is an owner of its own
   */
  readonly owner?: string | undefined;
  /** Cancels the acquire (not a lock that is held). Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What says which kind of lock a name is, which it is by being a semaphore. */
export const NOT_FOR_PERMITS = ["mode", "owner", "layout", "reentrant"] as const;

/** Options of one acquire of a permit; what is not given is as the semaphore has it. */
export type PermitOptions<Fencing extends boolean = true> = Omit<
  AcquireOptions,
  (typeof NOT_FOR_PERMITS)[number] | "fencing"
> &
  Pick<LockOptions<Fencing>, "fencing">;

/** Options of {@link LockManager.semaphore}; but for `permits` the defaults of all its permits. */
export interface SemaphoreOptions<Fencing extends boolean = true> extends PermitOptions<Fencing> {
  /**
   * How many may hold the name at once: a whole number from 1 to 1,000, the same for everybody who
   * uses the name.
   */
  readonly permits: number;
}

/** Options of {@link LockManager.request}: those of the Web Locks API are among them. */
export interface RequestOptions<Fencing extends boolean = true> extends AcquireOptions<Fencing> {
  /**
   * Only if it is available: one attempt, as by {@link LockManager.tryAcquire}, and if somebody else
   * holds the name the callback is given null. Not together with `steal` or `signal`.
   * @defaultValue false
   */
  readonly ifAvailable?: boolean | undefined;
  /**
   * Takes the name from its holder, ahead of all waiters. For locks whose holder hangs: the holder is
   * not asked. A holder in this manager stops believing before the nodes are asked. One in another
   * manager may believe on until its next renewal, or the end of its validity if it does not renew;
   * until then two believe, and the new holder's fencing token is higher. Exclusive locks of one name
   * only; not together with `ifAvailable` or `signal`.
   * @defaultValue false
   */
  readonly steal?: boolean | undefined;
}

/** Options of {@link LockManager.elect}. */
export interface ElectOptions<Fencing extends boolean = true>
  extends LockOptions<Fencing>, Pick<WaitOptions, "retry" | "fair"> {
  /** Ends the election: a term is resigned, a campaign called off, and the loop is over. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Told why there is no leader to be had: nodes out of reach, or so slow that no validity was left.
   * Once when that begins; the election goes on by itself.
   */
  readonly onError?: ((error: QuorateError) => void) | undefined;
}

/** Options of a {@link LockManager}; what is not listed here is the default of its locks. */
export interface LockManagerOptions<Fencing extends boolean = true>
  extends LockOptions<Fencing>, WaitOptions {
  /**
   * Longest ttl (with its `lockDelayMs`) that any lock here may have, ms, which is how long a node that forgot its keys is
   * kept from voting. Shorter: such a node is back sooner. All clients of the nodes should agree;
   * the largest on record wins.
   * @defaultValue 60_000, or `ttlMs` with `lockDelayMs` if that is larger
   */
  readonly maxTtlMs?: number | undefined;
  /**
   * What the clocks of client and node may differ in rate, relative. 0.01 allows each 0.5 %.
   * @defaultValue 0.01
   */
  readonly driftFactor?: number | undefined;
  /** Put before every name to make its key. @defaultValue "lock:" */
  readonly keyPrefix?: string | undefined;
  /**
   * Whether a node that forgot its keys (restart, FLUSHALL, failover) is kept from voting for
   * `maxTtlMs`. Off: a restart of one node can let a second holder in.
   * @defaultValue true
   */
  readonly quarantine?: boolean | undefined;
  /**
   * `auto`: nodes that are all seen without any record are a new deployment and vote at once.
   * `explicit`: they wait for `maxTtlMs` like any node that forgot.
   * @defaultValue "auto"
   */
  readonly bootstrap?: "auto" | "explicit" | undefined;
  /**
   * Use nodes whose eviction policy may drop locks that are held. Only for nodes where `maxmemory`
   * is never reached.
   * @defaultValue false
   */
  readonly allowEviction?: boolean | undefined;
  /**
   * How long a callback of `request` may go on after its lock was lost before the request rejects
   * without it, ms. Longer: its own error is reported with the loss.
   * @defaultValue 1_000
   */
  readonly lossGraceMs?: number | undefined;
}

/** Every default in one place. `undefined` where it is derived, as documented at the option. */
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
