import { EventEmitter } from "node:events";
import type { LeaseSettings } from "../../coordinator/lease-settings.js";
import { ALL_NODES } from "../../protocol/quorum.js";
import { Release } from "../../coordinator/release.js";
import type { RoundWatcher } from "../../coordinator/round.js";
import type { OpenNodes } from "../../nodes/open-nodes.js";
import type { NodeWithTransport } from "../../nodes/simulated-nodes.js";
import { SharedNodes } from "../../nodes/shared-nodes.js";
import { checkedKeysOf } from "../../options/name-keys.js";
import { DEFAULTS } from "../../options/table.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import type { Operation } from "../../protocol/operation.js";
import { validUntilMs } from "../../protocol/lease-times.js";
import type { RedisClient, RedisLike } from "../../redis/client-types.js";
import { show, showWithoutLogin } from "../../runtime/validate.js";
import { Ballot, quarantineText } from "./ballot.js";
import { ALREADY_EXPIRED, ExecutionError, NO_QUORUM } from "./execution.js";
import type {
  ClientSet,
  ExecutionResult,
  ExecutionStats,
  RedlockAbortSignal,
} from "./execution.js";
import {
  extendAll,
  leasesByValue,
  leaseSettings,
  leasesOf,
  remember,
  setsOf,
  takeAll,
} from "./leases.js";
import type { Failed, Leases } from "./leases.js";
import { checkDuration, DEFAULT_SETTINGS, mergeSettings, scriptsFor } from "./settings.js";
import type { NodeSettings, ScriptOptions, Scripts, Settings } from "./settings.js";
import { runUsing } from "./using.js";

/** Of an operation that is retried without limit, only so many of the latest attempts are reported. */
const MAX_TOLD = 1_000;

/** What succeeded. */
interface Done extends ExecutionResult {
  readonly held: Leases;
  readonly ownerId: string;
  readonly nodes: OpenNodes;
}

/** Locked resources. Plain data: anyone who has its value can extend and release it. */
export class Lock {
  readonly redlock: Redlock;
  readonly resources: string[];
  /** The value in the lock keys. Keep it secret: anyone who has it can release the lock. */
  readonly value: string;
  readonly attempts: readonly Promise<ExecutionStats>[];
  /** When the validity ends, wall clock, ms since 1970; 0 once it is extended or released. */
  expiration: number;

  constructor(
    redlock: Redlock,
    resources: string[],
    value: string,
    attempts: readonly Promise<ExecutionStats>[],
    expiration: number,
  ) {
    this.redlock = redlock;
    this.resources = resources;
    this.value = value;
    this.attempts = attempts;
    this.expiration = expiration;
  }

  /** See {@link Redlock.release}. */
  async release(): Promise<ExecutionResult> {
    return this.redlock.release(this);
  }

  /** See {@link Redlock.extend}: the returned lock replaces this one. */
  async extend(duration: number): Promise<Lock> {
    return this.redlock.extend(this, duration);
  }
}

/**
 * The interface of redlock 5 on Quorate's locks. New programs are better off with `LockManager`.
 *
 * The key of a resource is its name, with the clients' own `keyPrefix`, as redlock has it: both
 * exclude each other on the same nodes.
 */
export class Redlock extends EventEmitter {
  readonly clients: ClientSet;
  readonly settings: Settings;
  readonly scripts: Scripts;
  readonly #nodes: SharedNodes;
  /** Deferred: a listener that throws must not interrupt the current operation. */
  readonly #tell = (error: Error): void => queueMicrotask(() => this.emit("error", error));

  /**
   * @param clients of ioredis 5 or 6, one a node; in tests, nodes of `quorate/memory`. Connections of our own to the
   *   same servers are opened by the first operation, and closed when all of the clients have been closed
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
    const given: unknown = clients;
    // A text is a list of its characters.
    if (given && (typeof given !== "object" || !(Symbol.iterator in given)))
      throw new TypeError(`\`clients\` must be a list of clients, got ${showWithoutLogin(given)}`);
    this.clients = new Set(clients as Iterable<RedisClient>);
    if (this.clients.size === 0) {
      throw new Error("Redlock must be instantiated with at least one redis client.");
    }
    this.settings = mergeSettings(DEFAULT_SETTINGS, settings);
    this.scripts = scriptsFor(scripts);
    const { maxTtlMs, quarantine, allowEviction } = settings;
    const ofNodes = { maxTtlMs, quarantine, allowEviction };
    const { driftFactor } = this.settings;
    this.#nodes = SharedNodes.of([...this.clients], { driftFactor, ...ofNodes });
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
    const merged = mergeSettings(this.settings, settings);
    const done = await this.#acquire(resources, duration, merged);
    return this.#lockOf([...resources], done, duration, merged);
  }

  /**
   * Releases the lock on all nodes, those that are down included: they get it when they are back.
   *
   * @throws ExecutionError if no quorum released it: it had ended before, or nodes do not answer
   */
  async release(lock: Lock, settings?: Partial<Settings>): Promise<ExecutionResult> {
    const sets = this.#setsOf(lock.resources);
    const merged = mergeSettings(this.settings, settings);
    const leftMs = Math.ceil(lock.expiration - this.#wallMs);
    const longest = leaseSettings(Math.max(DEFAULTS.maxTtlMs, leftMs), merged.driftFactor);
    const ended =
      leasesOf(lock, this.#nodes.context)?.map((lease) => lease.endHere()) ??
      sets.map((keys) => ({ keys, ownerId: lock.value, settings: longest }));
    lock.expiration = 0;
    let releases: readonly Release[] | undefined;
    const { attempts } = await this.#persist(lock, 0, merged, async ({ context }) => {
      // The lock may have come from elsewhere: any node may have its keys.
      releases ??= ended.map((was) => new Release(context, { ...was, mayHold: ALL_NODES }));
      const results = await Promise.all(releases.map((release) => release.ask()));
      const isLost = results.includes("expired");
      return isLost || results.includes("partial") ? { isFinal: isLost } : [];
    });
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
    const sets = this.#setsOf(existing.resources);
    const merged = mergeSettings(this.settings, settings);
    const leftMs = (): number => existing.expiration - this.#wallMs;
    const isHeld = leasesOf(existing, this.#nodes.context)?.every((lease) => lease.isHeld());
    if (leftMs() < 0 || isHeld === false) throw new ExecutionError(ALREADY_EXPIRED, []);
    const done = await this.#persist(existing, duration, merged, async ({ context }, ownerId) => {
      const lease = leaseSettings(duration, merged.driftFactor);
      const known = leasesOf(existing, context);
      const held = known ?? leasesByValue(context, sets, ownerId, lease, leftMs());
      remember(existing, context, held);
      const tried = await extendAll(held, duration);
      // What is only known by its value may be valid for longer than this extension could have confirmed.
      if (!("length" in tried) && tried.isFinal !== true) remember(existing, context, known);
      return tried;
    });
    existing.expiration = 0;
    return this.#lockOf(existing.resources, done, duration, merged);
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
    const { automaticExtensionThreshold: renewBeforeMs } = settings;
    if (renewBeforeMs > duration - 100) {
      throw new Error(
        "A lock `duration` must be at least 100ms greater than the `automaticExtensionThreshold` setting.",
      );
    }
    const how = { renew: true, renewBeforeMs };
    return this.#nodes.use(async () => {
      const { held, ownerId, nodes } = await this.#acquire(resources, duration, settings, how);
      let last: readonly Promise<ExecutionStats>[] = [];
      const hear = (operation: Operation): RoundWatcher => {
        const ballot = this.#ballot(nodes, resources);
        const watcher = ballot.hear(operation);
        ballot.end();
        last = [ballot.stats];
        return watcher;
      };
      this.#nodes.ballots.set(ownerId, { hear });
      try {
        return await runUsing(held, routine, () => new ExecutionError(NO_QUORUM, last));
      } finally {
        this.#nodes.ballots.delete(ownerId);
      }
    });
  }

  #acquire(
    resources: string[],
    durationMs: number,
    settings: Settings,
    how?: Partial<LeaseSettings>,
  ): Promise<Done> {
    const sets = this.#setsOf(resources);
    const lease = leaseSettings(durationMs, settings.driftFactor, how);
    return this.#persist({ resources }, durationMs, settings, ({ context }, ownerId) =>
      takeAll(context, sets, ownerId, lease),
    );
  }

  #setsOf(resources: readonly string[]): LockKind[] {
    if (!Array.isArray(resources)) {
      const hint = typeof resources === "string" ? `: pass [${show(resources)}]` : "";
      throw new TypeError(`\`resources\` must be a list of names, got ${show(resources)}${hint}`);
    }
    const { keyPrefix, hasCluster } = this.#nodes;
    const keys = [...new Set(resources)].map((name, at) =>
      checkedKeysOf(keyPrefix, name, hasCluster, `resources[${at}]`),
    );
    return setsOf(keys, hasCluster);
  }

  #lockOf(resources: string[], done: Done, durationMs: number, { driftFactor }: Settings): Lock {
    const { held, ownerId, attempts, nodes } = done;
    const nowMs = nodes.context.clock.now();
    const provenAtMs = Math.min(nowMs, ...held.map((lease) => lease.provenAtMs));
    const leftMs = validUntilMs(provenAtMs, durationMs, driftFactor) - nowMs;
    const endMs = Math.floor(this.#wallMs + leftMs);
    const lock = new Lock(this, resources, ownerId, attempts, endMs);
    remember(lock, nodes.context, held);
    return lock;
  }

  /** The wall clock, ms since 1970. */
  get #wallMs(): number {
    return this.#nodes.runtime.clock.wallUs() / 1_000;
  }

  #ballot(nodes: OpenNodes | undefined, resources: readonly string[]): Ballot {
    return new Ballot(this.#nodes.clients, nodes?.names, new Set(resources).size, this.#tell);
  }

  /**
   * Retries as often, and with such pauses, as the settings say.
   *
   * @param durationMs for how long keys may be stored
   * @param of each attempt draws its own value, unless there is one
   * @throws ExecutionError with the attempts if none of them succeeded
   */
  #persist(
    of: { readonly resources: readonly string[]; readonly value?: string },
    durationMs: number,
    { retryCount, retryDelay, retryJitter }: Settings,
    attempt: (nodes: OpenNodes, ownerId: string) => Promise<Leases | Failed>,
  ): Promise<Done> {
    const { clock, entropy } = this.#nodes.runtime;
    const attempts: Promise<ExecutionStats>[] = [];
    return this.#nodes.use(async () => {
      for (let left = retryCount === -1 ? Number.POSITIVE_INFINITY : retryCount; ; left--) {
        const nodes = await this.#nodes.open(durationMs);
        const ballot = this.#ballot(nodes, of.resources);
        if (attempts.push(ballot.stats) > MAX_TOLD) void attempts.shift();
        if (nodes === undefined) {
          ballot.end();
          throw new ExecutionError(NO_QUORUM, attempts);
        }
        const ownerId = of.value ?? entropy.id();
        this.#nodes.ballots.set(ownerId, ballot);
        const tried = await attempt(nodes, ownerId);
        this.#nodes.ballots.delete(ownerId);
        ballot.end();
        if ("length" in tried) return { held: tried, ownerId, attempts, nodes };
        if (tried.isFinal === true) throw new ExecutionError(NO_QUORUM, attempts);
        if (left < 1) {
          await tried.undone?.();
          const why = quarantineText(nodes.names, tried.votes);
          throw new ExecutionError(NO_QUORUM + why, attempts);
        }
        const delayMs = retryDelay + Math.floor((entropy.unit() * 2 - 1) * retryJitter);
        await new Promise<void>((resolve) => void clock.setTimer(Math.max(0, delayMs), resolve));
      }
    });
  }
}
