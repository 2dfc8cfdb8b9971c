import type { NodeStatus, QuorumStatus } from "./events.js";
import type {
  AcquireOptions,
  AdoptOptions,
  ElectOptions,
  RequestOptions,
  SemaphoreOptions,
} from "./options.js";
import type { Election } from "./election.js";
import type { ObservedHolder } from "./observed.js";
import type { GivenLock, Lock } from "./lock.js";
import type {
  ForceReleaseOptions,
  ForceReleaseResult,
  LockManagerSnapshot,
  LockReport,
} from "./reports.js";
import type { Semaphore } from "./semaphore.js";

/**
 * The methods of a {@link LockManager} as an interface. Code that depends on it, or on a part of it
 * (`Pick<Locks, "request">`), can be tested with a double.
 */
export interface Locks extends AsyncDisposable {
  /** State of each node as seen from here, in configured order. */
  readonly nodes: readonly NodeStatus[];

  /** The votes that a lock needs, and the nodes that vote now. Sends nothing. */
  readonly quorum: QuorumStatus;

  /** Whether a quorum of nodes votes now, so that locks can be acquired: for health checks. Sends nothing. */
  readonly isReady: boolean;

  /**
   * Acquires the lock, waiting up to `waitMs` while it is held or nodes are unreachable.
   *
   * @param name one name, or up to 100: all or none, in one operation on each node, in any order, with one
   *   fencing token that is higher than the last one of each
   * @throws LockHeldError if others held it for all of `waitMs`, NoQuorumError if too few nodes answered, or not in
   *   time, ForeignKeyError if the key holds other data, MisconfiguredError, ClosedError, a QuorateError with the code
   *   `QUORATE_REENTRY`, or the reason of `options.signal`. TypeError and RangeError for invalid arguments.
   */
  acquire(name: string | readonly string[], options?: AcquireOptions): Promise<Lock>;

  /**
   * The lock, or null if somebody holds it: at once, or after `waitMs` if that is given with the call. Of several clients
   * that ask for a free name at the same moment, one gets it, within `nodeTimeoutMs`.
   *
   * @throws like {@link LockManager.acquire}, but never because the lock is held.
   */
  tryAcquire(name: string | readonly string[], options?: AcquireOptions): Promise<Lock | null>;

  /**
   * Acquires the lock, runs the callback, and releases the lock. Returns the callback's result, or rejects with
   * its error. The same call as `request` of the Web Locks API (`navigator.locks`, and `locks` of Node's
   * `worker_threads`).
   *
   * @param callback gets the lock, or null with `ifAvailable` if the name is held
   * @throws like {@link LockManager.acquire}; the callback's error; LockLostError if the lock was lost while
   *   the callback ran, even if only the release finds that out, with the callback's error as `cause` or its return value
   *   as `result`; a DOMException
   *   named `NotSupportedError` for invalid combinations of options and for names that begin with "-".
   */
  request<T>(name: string | readonly string[], callback: (lock: Lock) => T): Promise<Awaited<T>>;
  request<T>(
    name: string | readonly string[],
    options: RequestOptions & { readonly ifAvailable?: false | undefined },
    callback: (lock: Lock) => T,
  ): Promise<Awaited<T>>;
  request<T>(
    name: string | readonly string[],
    options: RequestOptions,
    callback: (lock: Lock | null) => T,
  ): Promise<Awaited<T>>;

  /**
   * Starts a candidacy. A `for await` loop yields the terms won, one after the other, each until its iteration
   * ends or it is lost. See {@link Election}.
   *
   * @throws TypeError and RangeError for invalid arguments; errors that end an election come from its loop, see
   *   {@link Election.next}.
   */
  elect(name: string, options?: ElectOptions): Election;

  /**
   * A semaphore: up to `permits` holders of a name at once, with default options for its permits. Sends
   * nothing.
   *
   * @throws TypeError and RangeError for invalid arguments.
   */
  semaphore(name: string, options: SemaphoreOptions): Semaphore;

  /**
   * The holders of a name according to all nodes, in one round that changes nothing. A node that does not
   * answer within `nodeTimeoutMs` is listed as such. Holders are shown with label and fingerprint, never with
   * their ownerId.
   *
   * @throws TypeError and RangeError for an invalid name, ClosedError.
   */
  inspect(name: string): Promise<LockReport>;

  /**
   * Who holds a name now, and whenever that changes: a loop over it yields the holder, or null for nobody, as a quorum
   * of nodes says. The nodes tell by messages, and are asked every 2 s in case one was lost. A loop that is slow skips
   * what is over. It ends with the signal, and when the manager closes; it waits while no quorum answers.
   *
   * Those that hold a name together (readers, permits, an owner's locks) are shown as one holder.
   *
   * @throws TypeError and RangeError for invalid arguments, RangeError in the `layout` of another library, ClosedError.
   */
  observe(
    name: string,
    options?: Pick<ElectOptions, "signal">,
  ): AsyncIterableIterator<ObservedHolder | null>;

  /** What this manager holds and waits for, in the format of the Web Locks API. Sends nothing. */
  query(): Promise<LockManagerSnapshot>;

  /**
   * For operators: ends the lock of a name, including readers, on all nodes, and notifies waiters. The holder,
   * if alive, is told by the nodes; if that fails, it learns of it at its next renewal, or at the latest when its
   * validity ends. Until then it works at the same time as the next holder, so let the store check fencing tokens.
   *
   * @returns the removed holders, and whether a quorum of nodes released the name
   * @throws ForeignKeyError if the key holds other data, NoQuorumError if too few nodes answered
   *   (nothing was changed then), ClosedError; TypeError and RangeError for invalid arguments.
   */
  forceRelease(name: string, options?: ForceReleaseOptions): Promise<ForceReleaseResult>;

  /**
   * Takes over a lock that another process handed over with {@link Lock.handOver}: with a new ownerId, a higher
   * fencing token, and a validity that counts from this call. No other client held the lock in between, and at
   * most one process can adopt it.
   *
   * @param json the result of `handOver`, or the same as text
   * @param options of the lock; its ttl defaults to the giver's
   * @throws NotAdoptableError if its keys no longer exist or belong to another holder; NoQuorumError
   *   if too few nodes answered, or too late: it was rolled back,
   *   so another attempt finds a quorum only if most nodes did nothing; ForeignKeyError, MisconfiguredError,
   *   ClosedError, or the reason of `options.signal`. TypeError and RangeError for invalid arguments, naming
   *   the field and the value.
   */
  adopt(json: GivenLock | string, options?: AdoptOptions): Promise<Lock>;

  /**
   * Resolves when a quorum of nodes votes, or with `all` every node. Acquiring does not require it.
   *
   * @throws MisconfiguredError as soon as so many nodes must not vote that the others are too few, or as a server
   *   is found to be listed twice; NotReadyError after `timeoutMs`; ClosedError, or the signal's reason. TypeError for invalid arguments.
   */
  ready(options?: ReadyOptions): Promise<void>;

  /**
   * Releases all locks, rejects waiting acquires and elections with a {@link ClosedError}, and closes the
   * connections. Waits for the releases, and then for operations in flight, each no longer than the node
   * timeout.
   *
   * With `drainMs`, held locks are renewed for up to that long, until their holders release them, so that
   * callbacks of `request` can finish. New acquires are rejected immediately with a {@link ClosedError}, except
   * those that re-enter a lock, and elections end immediately. Remaining locks are then released, and their
   * `signal` is aborted.
   *
   * Safe to call twice: the earliest deadline of all calls applies, so `close()` ends a drain now.
   *
   * @throws TypeError or RangeError for invalid options.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** Options of {@link LockManager.close}. */
export interface CloseOptions {
  /**
   * How long locks that are held may go on, ms, so that the callbacks of `request` can finish; Infinity for no
   * limit. Terms of elections end at once.
   * @defaultValue 0: all locks end at once
   */
  readonly drainMs?: number | undefined;
}

/** Options of {@link LockManager.ready}. */
export interface ReadyOptions {
  /** Calls the wait off. Rejects with the signal's own reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Waits for every node, and rejects as soon as one is misconfigured: for tests that are about to take some away.
   * @defaultValue false: a quorum is enough to lock
   */
  readonly all?: boolean | undefined;
  /**
   * Longest wait, ms, after which it rejects with a {@link NotReadyError}; Infinity for no limit.
   * @defaultValue 10,000, or longer if the nodes that are missing are only in quarantine, which ends by
   *   itself after `maxTtlMs` at the latest
   */
  readonly timeoutMs?: number | undefined;
}
