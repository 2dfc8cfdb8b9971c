import { EventEmitter } from "node:events";
import { show } from "../../runtime/validate.js";
import { checkedKeysOf } from "../../options/name-keys.js";
import type { OpenNodes } from "../../nodes/open-nodes.js";
import type { NodeWithTransport } from "../../nodes/own-nodes.js";
import { DEFAULTS } from "../../options/table.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import type { RedisClient, RedisLike } from "../../redis/client-types.js";
import { ALREADY_EXPIRED, ExecutionError } from "./errors.js";
import { extendAll } from "./extend-all.js";
import { LeaseState, leases, leaseSettings } from "./lease-state.js";
import { Lock, type Locker } from "./lock.js";
import { persist, type Done, type Tried } from "./persist.js";
import { Release, type Released } from "./release-all.js";
import { scriptsFor, type ScriptOptions, type Scripts } from "./scripts.js";
import {
  checkDuration,
  DEFAULT_SETTINGS,
  mergeSettings,
  nodeSettingsOf,
  type NodeSettings,
  type Settings,
} from "./settings.js";
import { SharedNodes } from "./shared-nodes.js";
import { Stats } from "./stats.js";
import type { ExecutionResult, RedlockAbortSignal } from "./execution.js";
import { takeAll } from "./take-all.js";
import { runUsing } from "./using.js";

/**
 * The interface of redlock 5 on Quorate's locks. New programs are better off with `LockManager`.
 *
 * The key of a resource is its name, with the clients' own `keyPrefix`, as redlock has it: both
 * exclude each other on the same nodes.
 */
export class Redlock extends EventEmitter implements Locker {
  readonly clients: Set<RedisClient>;
  readonly settings: Settings;
  readonly scripts: Scripts;
  readonly #nodes: SharedNodes;

  /**
   * @param clients of ioredis 5 or 6, one a node; in tests, nodes of `quorate/memory`. Connections of our own are opened to the same servers by
   *   the first operation, and closed when all of the clients have been closed.
   * @param settings those of redlock, and options of the nodes
   * @param scripts are not supported
   * @throws TypeError or RangeError for bad arguments, naming the option and the value
   */
  constructor(
    clients: Iterable<RedisClient | RedisLike | NodeWithTransport>,
    settings: Partial<Settings> & NodeSettings = {},
    scripts: ScriptOptions = {},
  ) {
    super();
    // Errors are emitted for those who listen; nobody has to.
    this.on("error", () => {});
    this.clients = new Set(clients as Iterable<RedisClient>);
    if (this.clients.size === 0) {
      throw new Error("Redlock must be instantiated with at least one redis client.");
    }
    this.settings = mergeSettings(DEFAULT_SETTINGS, settings);
    this.scripts = scriptsFor(scripts);
    const { driftFactor } = this.settings;
    this.#nodes = SharedNodes.of([...this.clients], driftFactor, nodeSettingsOf(settings));
  }

  /** Closes the clients that were given, by `quit()`, and our own connections. */
  async quit(): Promise<void> {
    await this.#nodes.quit();
  }

  /**
   * Locks all of the resources, or none; on each node in one step. On a Cluster that goes for resources of one
   * hash slot; others are locked one after another. When it rejects, what it left on nodes that answer is undone.
   *
   * @param duration of the lock, whole ms
   * @param settings for this call
   * @throws ExecutionError if no attempt found a quorum; TypeError or RangeError for bad arguments
   */
  async acquire(
    resources: string[],
    duration: number,
    settings?: Partial<Settings>,
  ): Promise<Lock> {
    checkDuration(duration);
    const keys = this.#keysOf(resources);
    const merged = mergeSettings(this.settings, settings);
    const lease = leaseSettings(duration, merged);
    const { value: taken, attempts } = await this.#persist(
      merged,
      duration,
      keys.length,
      async ({ context, hasCluster }, stats) => {
        const taken = await takeAll(context, keys, hasCluster, lease, stats);
        if ("value" in taken) return { kind: "done", value: taken };
        return { kind: "again", untilUndone: () => taken.untilUndone() };
      },
    );
    const state = new LeaseState(keys, taken.value, taken);
    const lock = new Lock(this, [...resources], taken.value, attempts, state.expiration);
    leases.set(lock, state);
    return lock;
  }

  /**
   * Releases the lock on all nodes, those that are down included: they get it when they are back.
   *
   * @throws ExecutionError if no quorum released it: it had ended before, or nodes do not answer
   */
  async release(lock: Lock, settings?: Partial<Settings>): Promise<ExecutionResult> {
    const keys = this.#keysOf(lock.resources);
    const merged = mergeSettings(this.settings, settings);
    const known = leases.get(lock);
    const ttlMs =
      known?.ttlMs ?? Math.max(DEFAULTS.maxTtlMs, Math.ceil(lock.expiration - this.#nodes.wallMs));
    lock.expiration = 0;
    known?.onReleasing();
    const release = new Release(keys, lock.value, leaseSettings(ttlMs, merged));
    const { attempts } = await this.#persist(
      merged,
      ttlMs,
      keys.length,
      async ({ context }, stats) => triedOf(await release.attempt(context, stats), known),
    );
    return { attempts };
  }

  /**
   * Extends the lock to `duration` ms from now. The given lock is over then; the returned one takes its place.
   * The keys are never shortened.
   *
   * @throws ExecutionError if the lock has expired, is lost, or no attempt found a quorum in time
   */
  async extend(existing: Lock, duration: number, settings?: Partial<Settings>): Promise<Lock> {
    checkDuration(duration);
    const keys = this.#keysOf(existing.resources);
    const merged = mergeSettings(this.settings, settings);
    const known = leases.get(existing);
    const lease = leaseSettings(duration, merged, known?.remainingMs);
    const isOver = (): boolean => known?.isHeld === false;
    if (existing.expiration < this.#nodes.wallMs || isOver()) {
      throw new ExecutionError(ALREADY_EXPIRED, []);
    }
    const { value: extended, attempts } = await this.#persist(
      merged,
      duration,
      keys.length,
      async ({ context }, stats) => {
        const { value } = existing;
        const result = await extendAll(context, keys, value, lease, stats, isOver);
        if (result === "lost") known?.lose(known.isHeld ? "taken" : "expired");
        if (result === "lost") return { kind: "hopeless" };
        if (result === "failed") return { kind: isOver() ? "hopeless" : "again" };
        return { kind: "done", value: result };
      },
    );
    existing.expiration = 0;
    const { resources, value } = existing;
    known?.onExtended(extended);
    const state = known ?? new LeaseState(keys, value, extended);
    const replacement = new Lock(this, resources, value, attempts, state.expiration);
    leases.set(replacement, state);
    return replacement;
  }

  /**
   * Runs the routine under a lock that is extended automatically, and releases the lock. Rejects with the
   * routine's error, or resolves with its result unless the lock was lost.
   *
   * @throws ExecutionError like {@link Redlock.acquire}, or because the lock was lost
   */
  using<T>(
    resources: string[],
    duration: number,
    settings: Partial<Settings>,
    routine?: (signal: RedlockAbortSignal) => Promise<T>,
  ): Promise<T>;
  using<T>(
    resources: string[],
    duration: number,
    routine: (signal: RedlockAbortSignal) => Promise<T>,
  ): Promise<T>;
  async using<T>(
    resources: string[],
    duration: number,
    settingsOrRoutine: Partial<Settings> | ((signal: RedlockAbortSignal) => Promise<T>),
    optionalRoutine?: (signal: RedlockAbortSignal) => Promise<T>,
  ): Promise<T> {
    checkDuration(duration);
    const isShort = typeof settingsOrRoutine === "function";
    const routine = optionalRoutine ?? settingsOrRoutine;
    const settings = mergeSettings(this.settings, isShort ? undefined : settingsOrRoutine);
    if (typeof routine !== "function") throw new Error("INVARIANT: routine is not a function.");
    if (settings.automaticExtensionThreshold > duration - 100) {
      throw new Error(
        "A lock `duration` must be at least 100ms greater than the `automaticExtensionThreshold` setting.",
      );
    }
    const lock = await this.acquire(resources, duration, settings);
    return runUsing(lock, duration, settings, routine);
  }

  #keysOf(resources: readonly string[]): LockKind[] {
    if (!Array.isArray(resources)) {
      const hint = typeof resources === "string" ? `: pass [${show(resources)}]` : "";
      throw new TypeError(`\`resources\` must be a list of names, got ${show(resources)}${hint}`);
    }
    const hasCluster = this.#nodes.clients.some(({ isCluster }) => isCluster);
    const { keyPrefix } = this.#nodes;
    const names = [...new Set(resources)];
    return names.map((name, at) => checkedKeysOf(keyPrefix, name, hasCluster, `resources[${at}]`));
  }

  #persist<T>(
    settings: Settings,
    durationMs: number,
    resourceCount: number,
    attempt: (nodes: OpenNodes, stats: Stats) => Promise<Tried<T>>,
  ): Promise<Done<T>> {
    const { clients } = this.#nodes;
    const attemptOnce = () => {
      const stats = new Stats(clients, resourceCount, (error) => this.emit("error", error));
      const run = async (): Promise<Tried<T>> => {
        const nodes = await this.#nodes.open(durationMs);
        if (nodes === undefined) {
          stats.endUnasked("Connection is closed.");
          return { kind: "hopeless" };
        }
        stats.names = nodes.names;
        return attempt(nodes, stats);
      };
      return { stats: stats.promise, tried: run(), reason: () => stats.quarantineText };
    };
    return this.#nodes.use(() => persist(settings, this.#nodes.runtime, attemptOnce));
  }
}

function triedOf(released: Released, known: LeaseState | undefined): Tried<undefined> {
  known?.onReleased(released);
  if (released === "released") return { kind: "done", value: undefined };
  return { kind: released === "lost" ? "hopeless" : "again" };
}
