import { EventEmitter } from "node:events";
import { inspect, type InspectOptions } from "node:util";
import { Acquirer, nullIfHeld } from "./acquirer.js";
import { asked } from "./caller.js";
import type { Lease } from "../coordinator/lease.js";
import type { ManagedLease } from "../coordinator/observer.js";
import { inspect as inspectName } from "../coordinator/revoke.js";
import { checkedDrainMs, Drain } from "./drain.js";
import { LockElection } from "./election/election.js";
import { electorateOf } from "./election/electorate.js";
import { ClosedError, QuorumUnreachableError } from "../api/errors.js";
import { helpOf } from "../api/help.js";
import type { LockManagerEvents, NodeStatus, QuorateWarning, QuorumStatus } from "../api/events.js";
import type { Election } from "../api/election.js";
import type { GivenLock, Lock } from "../api/lock.js";
import type { ObservedHolder } from "../api/observed.js";
import type { CloseOptions, Locks, ReadyOptions } from "../api/locks.js";
import type {
  ForceReleaseOptions,
  ForceReleaseResult,
  LockInfo,
  LockManagerSnapshot,
  LockReport,
} from "../api/reports.js";
import type { Semaphore } from "../api/semaphore.js";
import { adopt } from "./adopt.js";
import { forceRelease } from "../operator/force-release.js";
import { reportOf } from "../operator/report.js";
import { checkForKind } from "../options/name-keys.js";
import { MisconfiguredError } from "../api/node-errors.js";
import { openNodes, type OpenNodes } from "../nodes/open-nodes.js";
import type {
  AcquireOptions,
  AdoptOptions,
  ElectOptions,
  LockManagerOptions,
  RequestOptions,
  SemaphoreOptions,
} from "../api/options.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { quorumSize } from "../protocol/quorum.js";
import { unsharedLock } from "../kinds/exclusive.js";
import { recordedTtlOf } from "./outcome-error.js";
import { untilReady } from "./ready.js";
import type { NodeConfig } from "../nodes/simulated-nodes.js";
import { Reentry } from "./reentry/reentry.js";
import { checkCount, checkKnown, show, superfluous } from "../runtime/validate.js";
import { OPTIONS } from "../options/table.js";
import { Observers } from "./observers.js";
import { runLocked } from "./request.js";
import { requestOf } from "../options/request.js";
import {
  resolveElectOptions,
  resolveManagerOptions,
  type ManagerSettings,
} from "../options/resolve.js";
import { PermitSemaphore } from "./semaphore.js";
import { OpenedManager } from "../telemetry/open-managers.js";
import { Telemetry } from "../telemetry/telemetry.js";
import { lateLock } from "../telemetry/translate.js";

/** What a callback, or options, in the wrong place were probably meant for. */
const RUNS_CALLBACKS = "request(name, options, callback) runs a callback under the lock";
const OPTIONS_FIRST = "options come before the callback";
const ITS_TERMS = "`for await (const term of election)` leads";
const ITS_PERMITS = "request(options, callback) of the semaphore runs a callback";
const ITS_HOLDERS = "`for await (const holder of ...)` shows who holds it";
const ITS_RESULT = "await its result";

/** Releases in flight at once while closing. */
const CLOSE_CONCURRENCY = 1_000;

/**
 * Checks what will be acquired later, by code that nobody watches then. Nothing is known of a double of a lock manager.
 *
 * @throws TypeError or RangeError that `acquire` would reject with
 */
export let checkAhead: (locks: object, name: string, options: AcquireOptions) => void;

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
export class LockManager extends EventEmitter<LockManagerEvents> implements Locks {
  static {
    checkAhead = (locks, name, options) => {
      const given: object = Object(locks);
      if (#acquirer in given) given.#acquirer.check(name, options);
    };
  }

  readonly #settings: ManagerSettings;
  readonly #nodes: OpenNodes;
  readonly #reentry = new Reentry();
  readonly #acquirer: Acquirer;
  readonly #drain: Drain;
  readonly #observers: Observers;
  readonly #telemetry = new Telemetry(() => {
    const { names, context } = this.#nodes;
    return { names, clock: context.clock };
  });
  readonly #opened: OpenedManager;
  readonly #onEnd = (lease: Lease): void => {
    this.#acquirer.held.delete(lease);
    if (this.#acquirer.state !== "open") this.#drain.look();
  };
  /** Until it is ready. */
  readonly #waiting = new Set<() => void>();
  #clientId: string | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Opens its own connection to each node in the background; the first acquire waits for them.
   *
   * @param nodes 1 to 30 independent masters. Their number determines the quorum: all clients of
   *   the same locks must use the same nodes. An odd number tolerates more failures for its size.
   * @throws TypeError or RangeError for bad arguments, naming the option and the value.
   */
  constructor(nodes: readonly NodeConfig[], options: LockManagerOptions = {}) {
    super();
    this.#settings = resolveManagerOptions(options);
    this.#nodes = openNodes(nodes, this.#settings, this.#telemetry, {
      onGranted: (lease: Lease) => this.#acquirer.held.add(lease),
      onReleased: this.#onEnd,
      onLost: (lease: Lease, reason) => {
        this.#onEnd(lease);
        this.#tell("lost", { name: lease.keys.name, reason });
      },
      hearsLate: () => this.listenerCount("late") > 0,
      onLate: (lease, lateMs) => {
        this.#tell("late", lateLock(lease, lateMs, this.#nodes.context.clock));
      },
      onNodeState: ({ name, quarantineLeftMs, clockOffsetMs }, state, detail) => {
        this.#tell("node", { node: name, state, detail, quarantineLeftMs, clockOffsetMs });
        queueMicrotask(() => this.#waiting.forEach((check) => check()));
      },
      onWarning: (code, message) => this.#warn(code, message),
    });
    this.#acquirer = new Acquirer(this.#nodes, this.#settings, this.#reentry, (code, message) =>
      this.#warn(code, message),
    );
    this.#observers = new Observers(this.#nodes.context, this.#settings.lease.nodeTimeoutMs);
    this.#drain = new Drain(this.#nodes.context.clock);
    this.#acquirer.checkTtl(this.#settings.lease);
    this.#opened = new OpenedManager({
      nodes: () => this.nodes,
      quorum: () => this.quorum,
      held: this.#acquirer.held,
      waiting: () => this.#nodes.context.waitQueues.sizes(),
    });
  }

  get nodes(): readonly NodeStatus[] {
    return this.#nodes.channels.map((channel) => ({
      node: channel.name,
      state: channel.state,
      detail: channel.detail,
      quarantineLeftMs: channel.quarantineLeftMs,
      clockOffsetMs: channel.clockOffsetMs,
    }));
  }

  get quorum(): QuorumStatus {
    const states = this.#nodes.channels.map(({ state }) => state);
    const votes = states.filter((state) => state === "ready").length;
    return { nodeCount: states.length, size: quorumSize(states.length), votes };
  }

  get isReady(): boolean {
    const { size, votes } = this.quorum;
    return votes >= size && this.#acquirer.state === "open";
  }

  acquire(name: string | readonly string[], options?: AcquireOptions): Promise<Lock> {
    const wrong = superfluous("acquire(name, options)", arguments, 2, RUNS_CALLBACKS);
    if (wrong !== undefined) return Promise.reject(wrong);
    return this.#acquirer.acquire(name, options, this.#settings.usual);
  }

  tryAcquire(name: string | readonly string[], options?: AcquireOptions): Promise<Lock | null> {
    const wrong = superfluous("tryAcquire(name, options)", arguments, 2, RUNS_CALLBACKS);
    if (wrong !== undefined) return Promise.reject(wrong);
    return nullIfHeld(this.#acquirer.acquire(name, options, this.#settings.once));
  }

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
    if (isShort) checkCount("request(name, callback)", arguments, 2, OPTIONS_FIRST);
    const callback = isShort ? optionsOrCallback : maybeCallback;
    const given = isShort ? undefined : optionsOrCallback;
    const request = requestOf(given);
    const { options = given, ifAvailable } = request;
    const { usual, once } = this.#settings;
    const opening = options?.reentrant === true ? this.#reentry.open() : undefined;
    const how = { opening, request, callback };
    const asking = this.#acquirer.acquire(name, options, ifAvailable ? once : usual, how);
    const lock = await (ifAvailable ? nullIfHeld(asking) : asking);
    // Checked by now, like everything else.
    const run = callback as (lock: Lock | null) => T;
    if (lock === null) return await run(null);
    // Awaited in its context: a query builder, for one, does its work only when it is awaited.
    const enclosed = opening?.enclose(async (held): Promise<Awaited<T>> => await run(held));
    return await runLocked<T | Promise<Awaited<T>>>(
      lock,
      enclosed ?? run,
      this.#acquirer.requestHost,
    );
  }

  elect(name: string, options: ElectOptions = {}): Election {
    checkCount("elect(name, options)", arguments, 2, ITS_TERMS);
    const plainKeys = this.#acquirer.keysOf(name);
    const settings = resolveElectOptions(options, this.#settings);
    const kind = this.#settings.usual.kindOf(plainKeys);
    const keys = kind.queue.passesOn ? unsharedLock(plainKeys) : kind;
    checkForKind(keys, settings.lease);
    this.#acquirer.checkTtl(settings.lease);
    const electorate = electorateOf(this.#acquirer, { keys, ...settings });
    return new LockElection(name, electorate, settings.wait, settings.signal, (given) =>
      this.observe(name, given),
    );
  }

  semaphore(name: string, options: SemaphoreOptions): Semaphore {
    checkCount("semaphore(name, options)", arguments, 2, ITS_PERMITS);
    const keys = this.#acquirer.keysOf(name);
    return new PermitSemaphore(this.#acquirer, keys, options);
  }

  async query(): Promise<LockManagerSnapshot> {
    checkCount("query()", arguments, 0, "inspect(name) asks the nodes about one");
    const clientId = (this.#clientId ??= this.#nodes.context.entropy.id());
    // Of several names each has an entry.
    const infosOf = ({ keys: { names, mode } }: { readonly keys: LockKind }): LockInfo[] =>
      names.map((name) => ({ name, mode, clientId }));
    const { held, pending } = this.#acquirer;
    return { held: [...held].flatMap(infosOf), pending: [...pending].flatMap(infosOf) };
  }

  async inspect(name: string): Promise<LockReport> {
    checkCount("inspect(name)", arguments, 1, ITS_RESULT);
    const { context, names } = this.#nodes;
    const keys = this.#acquirer.openLockOf(name);
    const votes = await inspectName(context, keys, this.#settings.lease.nodeTimeoutMs);
    return reportOf(keys, names, votes, this.#nodes.marginMs());
  }

  observe(
    name: string,
    options: Pick<ElectOptions, "signal"> = {},
  ): AsyncIterableIterator<ObservedHolder | null> {
    checkCount("observe(name, options)", arguments, 2, ITS_HOLDERS);
    checkKnown(options, ["signal"]);
    if (options.signal !== undefined) OPTIONS.signal.check("signal", options.signal);
    const { layout } = this.#settings;
    // Nodes show nobody what is in another, and whoever observed it would wait for ever.
    if (layout !== "redlock") {
      throw new RangeError(`\`layout\` must be "redlock" to observe a name, got ${show(layout)}`);
    }
    return this.#observers.of(this.#acquirer.openLockOf(name), options.signal);
  }

  async forceRelease(name: string, options: ForceReleaseOptions = {}): Promise<ForceReleaseResult> {
    checkCount("forceRelease(name, options)", arguments, 2, ITS_RESULT);
    const { context, names } = this.#nodes;
    const keys = this.#acquirer.openLockOf(name);
    const { maxTtlMs, driftFactor, clockStepMs, lease } = this.#settings;
    const { nodeTimeoutMs } = lease;
    const settings = { nodeTimeoutMs, maxTtlMs, driftFactor, clockStepMs };
    const ending = forceRelease(context, keys, names, settings, options);
    return asked(ending.catch((error: unknown) => this.#rethrow(keys.name, error)));
  }

  async adopt(json: GivenLock | string, options: AdoptOptions = {}): Promise<Lock> {
    checkCount("adopt(json, options)", arguments, 2, ITS_RESULT);
    return asked(adopt(this.#acquirer, json, options), options);
  }

  async ready(options: ReadyOptions = {}): Promise<void> {
    const behind = {
      clock: this.#nodes.context.clock,
      waiting: this.#waiting,
      isClosed: () => this.#acquirer.state !== "open",
      readiness: () => this.#nodes.channels.map(({ readiness }) => readiness),
    };
    await asked(untilReady(this, behind, options), options);
    const difference = options.all === true ? this.#nodes.listDifference() : undefined;
    if (difference !== undefined) {
      throw new MisconfiguredError("", [], this.nodes, { listDifference: difference });
    }
    const recordedTtl = recordedTtlOf(this.#nodes, this.#settings.lease);
    if (recordedTtl !== undefined)
      throw new MisconfiguredError("", [], this.nodes, { recordedTtl });
  }

  close(options: CloseOptions = {}): Promise<void> {
    try {
      const drainMs = checkedDrainMs(options);
      this.#drain.limit(drainMs);
      return (this.#closing ??= this.#close(drainMs));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Closes, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** For `console.log`: nodes and counts, no ownerIds. */
  [inspect.custom](_: number, options: InspectOptions): string {
    const { nodeCount, size, votes } = this.quorum;
    const about = {
      quorum: `${votes} of ${nodeCount} nodes vote, ${size} are needed`,
      nodes: this.nodes.map(({ node, state, detail }) =>
        state === "ready" ? `${node} ready` : `${node} ${state}: ${detail}`,
      ),
      heldCount: this.#acquirer.held.size,
      pendingCount: this.#acquirer.pending.size,
    };
    return `LockManager ${inspect(about, options)}`;
  }

  async #close(drainMs: number): Promise<void> {
    this.#acquirer.state = "draining";
    this.#observers.close();
    for (const pending of this.#acquirer.pending) pending.abort();
    const terms = [...this.#acquirer.held].filter((lease) => this.#acquirer.terms.has(lease.keys));
    const resigned = closeAll(terms);
    if (drainMs > 0) await this.#drain.wait(() => this.#acquirer.held.size === 0);
    this.#acquirer.state = "closed";
    this.#opened.close();
    this.#nodes.context.renewals.close();
    await Promise.all([resigned, closeAll([...this.#acquirer.held])]);
    await this.#nodes.close(this.#settings.lease.nodeTimeoutMs);
    this.#acquirer.graces.close();
  }

  /** Nodes that were given up, as the manager was closed meanwhile, are not unreachable. */
  #rethrow(name: string, error: unknown): never {
    const isGivenUp = this.#acquirer.state === "closed" && error instanceof QuorumUnreachableError;
    throw isGivenUp ? new ClosedError(name) : error;
  }

  #warn(code: QuorateWarning["code"], message: string): void {
    // Deferred, so that a listener added right after the constructor sees what the constructor found.
    queueMicrotask(() => {
      if (this.listenerCount("warning") > 0) this.emit("warning", { code, message });
      else {
        const detail = `see ${helpOf(code)} in the package quorate`;
        process.emitWarning(message, { code, type: "QuorateWarning", detail });
      }
    });
  }

  /** Deferred, so that a listener that throws cannot interrupt the current operation. */
  #tell<K extends keyof LockManagerEvents>(event: K, ...about: LockManagerEvents[K]): void {
    queueMicrotask(() => this.emit<K>(event, ...(about as never)));
  }
}

async function closeAll(leases: readonly ManagedLease[]): Promise<void> {
  const left = leases.values();
  const closeLeft = async (): Promise<void> => {
    for (const lease of left) await lease.close();
  };
  const length = Math.min(leases.length, CLOSE_CONCURRENCY);
  await Promise.all(Array.from({ length }, closeLeft));
}
