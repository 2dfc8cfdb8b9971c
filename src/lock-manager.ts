import { EventEmitter } from "node:events";
import pLimit from "p-limit";
import { Acquirer, nullIfHeld } from "./acquirer.js";
import type { Held, LeaseSettings } from "./coordinator/context.js";
import { inspect } from "./coordinator/revoke.js";
import { Election } from "./election/election.js";
import { electorateOf } from "./election/electorate.js";
import type { LockManagerEvents, NodeStatus, QuorateWarning } from "./events.js";
import { adopt } from "./inspect/adopt.js";
import {
  forceRelease,
  type ForceReleaseOptions,
  type ForceReleaseResult,
} from "./inspect/force-release.js";
import type { GivenLock } from "./inspect/given-lock.js";
import { checkForceReleaseOptions, type AdoptOptions } from "./inspect/options.js";
import { reportOf, type LockReport } from "./inspect/report.js";
import { snapshotOf, type LockManagerSnapshot } from "./inspect/snapshot.js";
import type { Lock } from "./lock.js";
import { checkMinHold, laidOutKeys } from "./name-keys.js";
import { openNodes, type OpenNodes } from "./open-nodes.js";
import type {
  AcquireOptions,
  ElectOptions,
  LockManagerOptions,
  RequestOptions,
  SemaphoreOptions,
} from "./options.js";
import { untilReady, type ReadyOptions } from "./ready.js";
import type { NodeConfig } from "./redis/node-config.js";
import { Reentry } from "./reentrancy/reentry.js";
import { runLocked } from "./request.js";
import { requestOf } from "./request-options.js";
import {
  resolveElectOptions,
  resolveManagerOptions,
  type ManagerSettings,
} from "./resolve-options.js";
import { Semaphore, type SemaphoreHost } from "./semaphore.js";

/** A pause of a garbage collection or of the network is as long. */
const SHORT_TTL_MS = 100;

/** Releases under way at once while closing. */
const CLOSE_CONCURRENCY = 1_000;

/**
 * Locks on a quorum of independent Redis masters.
 *
 * @example
 * ```ts
 * const locks = new LockManager(["redis://a:6379", "redis://b:6379", "redis://c:6379"]);
 * await locks.request("invoice:42", async (lock) => {
 *   await db.query("UPDATE ... WHERE fence <= $1", [lock.fencingToken]);
 * });
 * ```
 */
export class LockManager extends EventEmitter<LockManagerEvents> implements AsyncDisposable {
  readonly #settings: ManagerSettings;
  readonly #nodes: OpenNodes;
  readonly #held = new Set<Held>();
  readonly #reentry = new Reentry();
  readonly #acquirer: Acquirer;
  #clientId: string | undefined;
  #isShortTtlTold = false;
  #closing: Promise<void> | undefined;

  /**
   * Opens a connection of its own to each node, in the background; the first acquire waits for them.
   *
   * @param nodes 1 to 30 independent masters. Their number is the N of the quorum: all clients of
   *   the same locks must name the same nodes. An odd number tolerates more for its size.
   * @throws TypeError or RangeError for bad arguments, naming the option and the value.
   */
  constructor(nodes: readonly NodeConfig[], options: LockManagerOptions = {}) {
    super();
    this.#settings = resolveManagerOptions(options);
    this.#nodes = openNodes(nodes, this.#settings, {
      onGranted: (holding) => this.#held.add(holding),
      onReleased: (holding) => this.#held.delete(holding),
      onLost: (holding, reason) => {
        this.#held.delete(holding);
        this.#tell("lost", { name: holding.keys.name, reason });
      },
      onNodeState: ({ name, quarantineLeftMs }, state, detail) =>
        this.#tell("node", { node: name, state, detail, quarantineLeftMs }),
      onWarning: (code, message) => this.#warn(code, message),
      detached: (callback) => this.#reentry.detached(callback),
    });
    const onLease = (lease: LeaseSettings): void => this.#checkTtl(lease);
    this.#acquirer = new Acquirer(this.#nodes, this.#settings, this.#held, this.#reentry, onLease);
    this.#checkTtl(this.#settings.lease);
  }

  /** How the nodes look from here, in configured order. */
  get nodes(): readonly NodeStatus[] {
    return this.#nodes.channels.map((channel) => ({
      node: channel.name,
      state: channel.state,
      detail: channel.detail,
      quarantineLeftMs: channel.quarantineLeftMs,
    }));
  }

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
  acquire(name: string | readonly string[], options?: AcquireOptions): Promise<Lock> {
    return this.#acquirer.acquire(name, options, this.#settings.wait.waitMs);
  }

  /**
   * One attempt: the lock, or null if somebody else holds it.
   *
   * @throws as {@link LockManager.acquire} does, but never because the lock is held.
   */
  tryAcquire(name: string | readonly string[], options?: AcquireOptions): Promise<Lock | null> {
    return nullIfHeld(this.#acquirer.acquire(name, options, 0));
  }

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
  async request<T>(
    name: string | readonly string[],
    callback: (lock: Lock) => T,
  ): Promise<Awaited<T>>;
  async request<T>(
    name: string | readonly string[],
    options: RequestOptions & { readonly ifAvailable?: false | undefined },
    callback: (lock: Lock) => T,
  ): Promise<Awaited<T>>;
  async request<T>(
    name: string | readonly string[],
    options: RequestOptions,
    callback: (lock: Lock | null) => T,
  ): Promise<Awaited<T>>;
  async request<T>(
    name: string | readonly string[],
    optionsOrCallback: RequestOptions | ((lock: never) => T),
    maybeCallback?: (lock: never) => T,
  ): Promise<Awaited<T>> {
    const isShort = typeof optionsOrCallback === "function";
    const callback = isShort ? optionsOrCallback : maybeCallback;
    const given = isShort ? undefined : optionsOrCallback;
    const request = requestOf(given);
    const { options = given, ifAvailable } = request;
    const { wait, lossGraceMs } = this.#settings;
    const opening = options?.reentrant === true ? this.#reentry.open() : undefined;
    const how = { opening, request, callback };
    const waitMs = ifAvailable ? 0 : wait.waitMs;
    const asking = this.#acquirer.acquire(name, options, waitMs, how);
    const lock = ifAvailable ? await nullIfHeld(asking) : await asking;
    // Checked by now, with all else.
    const run = callback as (lock: Lock | null) => T;
    if (lock === null) return await run(null);
    return runLocked(lock, opening?.enclose(run) ?? run, lossGraceMs);
  }

  /**
   * Stands for election: the terms won come one after the other from a `for await` loop, each for as
   * long as its pass through the loop, or until it is lost. See {@link Election}.
   *
   * @throws TypeError and RangeError for bad arguments; what an election may end with comes from its
   *   loop, see {@link Election.next}.
   */
  elect(name: string, options: ElectOptions = {}): Election {
    const { context, names } = this.#nodes;
    const plainKeys = this.#acquirer.plainKeysOf(name);
    const settings = resolveElectOptions(options, this.#settings);
    const choice = { layout: settings.layout, mode: "exclusive", owner: undefined } as const;
    const keys = laidOutKeys(plainKeys, choice);
    checkMinHold(keys, settings.lease.minHoldMs);
    this.#checkTtl(settings.lease);
    const host = {
      context,
      nodeNames: names,
      pending: this.#acquirer.pending,
      isClosed: () => this.#acquirer.isClosed,
    };
    const electorate = electorateOf(host, { keys, ...settings });
    return new Election(name, electorate, settings.wait, settings.signal);
  }

  /**
   * A name that `permits` can hold at once, with defaults for its permits. Asks no node.
   *
   * @throws TypeError and RangeError for bad arguments.
   */
  semaphore(name: string, options: SemaphoreOptions): Semaphore {
    const acquirer = this.#acquirer;
    const keys = acquirer.plainKeysOf(name);
    const { wait, lossGraceMs } = this.#settings;
    const host: SemaphoreHost = {
      acquire: (permitKeys, given, isOnce) =>
        acquirer.acquire(name, given, isOnce ? 0 : wait.waitMs, { permitKeys }),
      check: (given) => void acquirer.resolve(given, wait.waitMs),
      lossGraceMs,
    };
    return new Semaphore(host, keys, options);
  }

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
  async query(name?: string): Promise<LockReport | LockManagerSnapshot> {
    const { context, names } = this.#nodes;
    if (name === undefined) {
      this.#clientId ??= context.entropy.id();
      return snapshotOf(this.#held, this.#acquirer.pending, this.#clientId);
    }
    const keys = this.#acquirer.openKeysOf(name);
    const votes = await inspect(context, keys, this.#settings.lease.nodeTimeoutMs);
    return reportOf(keys, names, votes);
  }

  /**
   * For operators: ends the lock of whoever holds the name, readers too, on all nodes, and wakes who
   * waits. The holder, if alive, finds out at its next renewal, or at the end of its validity at the
   * latest; until then it believes on, beside the next one. So let the store check fencing tokens.
   *
   * @returns who was removed, and whether a quorum of nodes has let go of it
   * @throws ForeignKeyError if the key is somebody's data, QuorumUnreachableError if too few nodes
   *   answered (nothing has been touched then), ClosedError; TypeError and RangeError for bad arguments.
   */
  async forceRelease(name: string, options: ForceReleaseOptions = {}): Promise<ForceReleaseResult> {
    const { context, names } = this.#nodes;
    const keys = this.#acquirer.openKeysOf(name);
    checkForceReleaseOptions(options);
    const { maxTtlMs, driftFactor, lease } = this.#settings;
    const settings = { nodeTimeoutMs: lease.nodeTimeoutMs, maxTtlMs, driftFactor };
    return forceRelease(context, keys, names, settings, options);
  }

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
  async adopt(json: GivenLock | string, options: AdoptOptions = {}): Promise<Lock> {
    const { context, names } = this.#nodes;
    const host = {
      context,
      nodeNames: names,
      pending: this.#acquirer.pending,
      settings: this.#settings,
      onLease: (lease: LeaseSettings) => this.#checkTtl(lease),
      keysOf: (name: string, option: string) => this.#acquirer.openKeysOf(name, option),
    };
    return adopt(host, json, options);
  }

  /**
   * Resolves when a quorum of nodes is ready to vote, or with `all` every node.
   *
   * @throws MisconfiguredError as soon as a node is found that must not vote, ClosedError, or the
   *   signal's reason. TypeError for bad arguments.
   */
  async ready(options: ReadyOptions = {}): Promise<void> {
    await untilReady(this, () => this.#acquirer.isClosed, options);
  }

  /**
   * Releases all locks, rejects what still waits with a {@link ClosedError}, elections too, and
   * closes the connections. Waits for the releases, and then for what is still on its way, each no longer than
   * the node deadline. Safe to call twice.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Closes, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#acquirer.isClosed = true;
    for (const pending of this.#acquirer.pending) pending.abort();
    this.#nodes.context.renewals.close();
    const limit = pLimit(CLOSE_CONCURRENCY);
    await Promise.all([...this.#held].map((holding) => limit(() => holding.close())));
    await this.#nodes.close(this.#settings.lease.nodeTimeoutMs);
  }

  /** Once: whoever thought that it is seconds thought so everywhere. */
  #checkTtl({ ttlMs }: LeaseSettings): void {
    if (ttlMs >= SHORT_TTL_MS || this.#isShortTtlTold) return;
    this.#isShortTtlTold = true;
    const message =
      `\`ttlMs\` of ${ttlMs} is very short: the lock expires unless it is renewed within so many ` +
      "milliseconds. For seconds, multiply by 1000";
    this.#warn("QUORATE_SHORT_TTL", message);
  }

  #warn(code: QuorateWarning["code"], message: string): void {
    // Later, so that a listener added right after the constructor hears what that found.
    queueMicrotask(() => {
      if (this.listenerCount("warning") > 0) this.emit("warning", { code, message });
      else process.emitWarning(message, { code, type: "QuorateWarning" });
    });
  }

  /** Later, so that a listener that throws cannot break what is going on here. */
  #tell<K extends keyof LockManagerEvents>(event: K, ...about: LockManagerEvents[K]): void {
    queueMicrotask(() => this.emit<K>(event, ...(about as never)));
  }
}
