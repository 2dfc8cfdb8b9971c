import type { CloseOptions } from "../drain.js";
import type { NodeStatus, QuorumStatus } from "../events.js";
import type { ForceReleaseOptions, ForceReleaseResult } from "../inspect/force-release.js";
import type { GivenLock } from "../inspect/given-lock.js";
import type { AdoptOptions } from "../inspect/options.js";
import type { LockReport } from "../inspect/report.js";
import type { LockManagerSnapshot } from "../inspect/snapshot.js";
import type { AcquireOptions, ElectOptions, RequestOptions, SemaphoreOptions } from "../options.js";
import type { ReadyOptions } from "../ready.js";
import type { Election } from "./election.js";
import type { Lock } from "./lock.js";
import type { Semaphore } from "./semaphore.js";

/**
 * What a program asks of a {@link LockManager}, as an interface: a program that takes this, or a part
 * of it (`Pick<Locks, "request">`), can be tested with a double that implements it.
 *
 * `Locks<false>` are locks without fencing.
 */
export interface Locks<Fencing extends boolean = true> extends AsyncDisposable {
  /** Whether locks carry a fencing token unless their own options say otherwise. */
  readonly fencing?: Fencing;

  /** How the nodes look from here, in configured order. */
  readonly nodes: readonly NodeStatus[];

  /** How many votes a lock needs, and how many nodes vote now. Asks no node. */
  readonly quorum: QuorumStatus;

  /** Whether a quorum of nodes votes now, so that locks can be had: for health checks. Asks no node. */
  readonly isReady: boolean;

  /**
   * Acquires the lock, waiting up to `waitMs` while others hold it or nodes are missing.
   *
   * @param name or several, up to 100: all of them or none, in one step on each node, whatever their
   *   order, under one fencing token that is higher than the last one of each
   * @throws WaitTimeoutError if it was held by others all the time (LockContendedError with
   *   `waitMs: 0`), QuorumUnreachableError if too few nodes answered, ValidityExhaustedError if they
   *   answered too late, ForeignKeyError if the key is somebody's data, MisconfiguredError,
   *   ReentryError, ClosedError, or the reason of `options.signal`. TypeError and RangeError for bad
   *   arguments.
   */
  acquire(
    name: string | readonly string[],
    options?: AcquireOptions<Fencing>,
  ): Promise<Lock<Fencing>>;

  /**
   * One attempt: the lock, or null if somebody else holds it.
   *
   * @throws as {@link LockManager.acquire} does, but never because the lock is held.
   */
  tryAcquire(
    name: string | readonly string[],
    options?: AcquireOptions<Fencing>,
  ): Promise<Lock<Fencing> | null>;

  /**
   * Acquires the lock, runs the callback, releases the lock. What the callback returns or throws
   * is what comes out. The same call as `request` of the Web Locks API (`navigator.locks`, and `locks`
   * of Node's `worker_threads`).
   *
   * @param callback is given the lock, or null with `ifAvailable` if somebody else holds the name
   * @throws as {@link LockManager.acquire} does; what the callback throws; LockLostError if the
   *   lock was lost while the callback ran, with the callback's own error as `cause` or its
   *   result as `result`; a DOMException named `NotSupportedError` for options that do not go together
   *   and for names that begin with "-".
   */
  request<T>(
    name: string | readonly string[],
    callback: (lock: Lock<Fencing>) => T,
  ): Promise<Awaited<T>>;
  request<T>(
    name: string | readonly string[],
    options: RequestOptions<Fencing> & { readonly ifAvailable?: false | undefined },
    callback: (lock: Lock<Fencing>) => T,
  ): Promise<Awaited<T>>;
  request<T>(
    name: string | readonly string[],
    options: RequestOptions<Fencing>,
    callback: (lock: Lock<Fencing> | null) => T,
  ): Promise<Awaited<T>>;

  /**
   * Stands for election: the terms won come one after the other from a `for await` loop, each for as
   * long as its pass through the loop, or until it is lost. See {@link Election}.
   *
   * @throws TypeError and RangeError for bad arguments; what an election may end with comes from its
   *   loop, see {@link Election.next}.
   */
  elect(name: string, options?: ElectOptions<Fencing>): Election<Fencing>;

  /**
   * A name that `permits` can hold at once, with defaults for its permits. Asks no node.
   *
   * @throws TypeError and RangeError for bad arguments.
   */
  semaphore(name: string, options: SemaphoreOptions<Fencing>): Semaphore<Fencing>;

  /**
   * Who holds the name, asked of all nodes in one round that changes nothing. A node that does not
   * answer within `nodeTimeoutMs` is listed as such. Holders show with their label and a fingerprint,
   * never their ownerId.
   *
   * @throws TypeError and RangeError for a bad name, ClosedError.
   */
  query(name: string): Promise<LockReport>;
  /** What this manager holds and waits for, in the shape of the Web Locks API; asks no node. */
  query(): Promise<LockManagerSnapshot>;

  /**
   * For operators: ends the lock of whoever holds the name, readers too, on all nodes, and wakes who
   * waits. The holder, if alive, finds out at its next renewal, or at the end of its validity at the
   * latest; until then it believes on, beside the next one. So let the store check fencing tokens.
   *
   * @returns who was removed, and whether a quorum of nodes has let go of it
   * @throws ForeignKeyError if the key is somebody's data, QuorumUnreachableError if too few nodes
   *   answered (nothing has been touched then), ClosedError; TypeError and RangeError for bad arguments.
   */
  forceRelease(name: string, options?: ForceReleaseOptions): Promise<ForceReleaseResult>;

  /**
   * Goes on with a lock that another process has given away by {@link Lock.toJSON}: under a new
   * ownerId, with a higher fencing token, and with a validity that counts from this call. Nobody else
   * has held it in between, and of several who adopt the same, at most one gets it.
   *
   * @param json what `toJSON` gave, or the same as text
   * @param options of the lock; its ttl is by default the giver's
   * @throws NotAdoptableError if its keys are gone or another's by now; QuorumUnreachableError if too
   *   few nodes answered, and ValidityExhaustedError if they did too late: what they did has been taken
   *   back, so that another try finds a quorum only if most of them did nothing; ForeignKeyError,
   *   MisconfiguredError, ClosedError, or the reason of `options.signal`. TypeError and RangeError for
   *   bad arguments, naming the field and the value.
   */
  adopt(json: GivenLock | string, options?: AdoptOptions<Fencing>): Promise<Lock<Fencing>>;

  /**
   * Resolves when a quorum of nodes votes, or with `all` every node. Locks can be asked for without it.
   *
   * @throws MisconfiguredError as soon as a node is found that must not vote, ClosedError, or the
   *   signal's reason. TypeError for bad arguments.
   */
  ready(options?: ReadyOptions): Promise<void>;

  /**
   * Releases all locks, rejects what still waits with a {@link ClosedError}, elections too, and
   * closes the connections. Waits for the releases, and then for what is still on its way, each no longer than
   * the node deadline.
   *
   * With `drainMs`, locks that are held are renewed for up to that long, until their holders release them, so that the
   * callbacks of `request` can finish. New acquires are rejected with a {@link ClosedError} at once, except for
   * those that reenter a lock, and elections end at once. What is left then is released; its `signal` is aborted.
   *
   * Safe to call twice: a drain ends at the earliest time that any call gives, so `close()` ends it now.
   *
   * @throws TypeError or RangeError for bad options.
   */
  close(options?: CloseOptions): Promise<void>;
}
