import { EventEmitter } from "node:events";
import pLimit from "p-limit";
import { Assembly } from "./channel/assembly.js";
import { Inbox } from "./channel/inbox.js";
import { NodeChannel, type ChannelState } from "./channel/node-channel.js";
import { Acquiring, type AcquireOutcome } from "./coordinator/acquire.js";
import type { Context, Held } from "./coordinator/context.js";
import { Lines } from "./coordinator/lines.js";
import { MAX_NODE_COUNT } from "./coordinator/owed.js";
import { Renewals } from "./coordinator/renewals.js";
import { Schedule } from "./coordinator/schedule.js";
import { show } from "./checks.js";
import { ClosedError, LockContendedError, WaitTimeoutError } from "./errors.js";
import { errorOf } from "./outcome-error.js";
import { untilReady } from "./ready.js";
import type { LockManagerEvents, NodeStatus, QuorateWarning } from "./events.js";
import { Lock } from "./lock.js";
import type { AcquireOptions, LockManagerOptions } from "./options.js";
import { fenceSlackUs } from "./protocol/fencing.js";
import { isOneSlot, keysOf, RESERVED_PREFIX, type NameKeys } from "./protocol/keys.js";
import { BatchWire } from "./redis/batch-wire.js";
import { configureNode, type NodeConfig } from "./redis/node-config.js";
import { runLocked } from "./request.js";
import {
  checkName,
  resolveAcquireOptions,
  type ResolvedAcquire,
  resolveManagerOptions,
  type ManagerSettings,
} from "./resolve-options.js";
import { systemClock } from "./runtime/system-clock.js";
import { systemEntropy } from "./runtime/system-entropy.js";

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
  readonly #channels: readonly NodeChannel[];
  readonly #assembly: Assembly;
  readonly #context: Context;
  readonly #inbox: Inbox;
  readonly #hasCluster: boolean;
  readonly #held = new Set<Held>();
  readonly #acquiring = new Set<Acquiring>();
  /** Nodes for people, in configured order. */
  readonly #names: readonly string[];
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
    if (!Array.isArray(nodes))
      throw new TypeError(`\`nodes\` must be an array, got ${show(nodes)}`);
    if (nodes.length < 1 || nodes.length > MAX_NODE_COUNT) {
      throw new RangeError(`\`nodes\` must name 1 to ${MAX_NODE_COUNT} nodes, got ${nodes.length}`);
    }
    const settings = resolveManagerOptions(options);
    this.#settings = settings;
    const { maxTtlMs, driftFactor } = settings;
    const nodeTimeoutMs = settings.lease.nodeTimeoutMs;
    const helloTimeoutMs = Math.max(1_000, 2 * nodeTimeoutMs);
    const constants = {
      fenceSlackUs: fenceSlackUs(maxTtlMs),
      fenceRetentionMs: settings.fenceRetentionMs,
    };
    const wire = new BatchWire(constants);
    const configured = nodes.map((node, index) =>
      configureNode(node, index, constants, helloTimeoutMs, wire),
    );
    this.#names = configured.map(({ transport }) => transport.name);
    this.#hasCluster = configured.some(({ isCluster }) => isCluster);
    const clock = systemClock();
    const entropy = systemEntropy();
    this.#assembly = new Assembly(
      {
        nodeCount: nodes.length,
        maxTtlMs,
        driftFactor,
        isQuarantineOn: settings.quarantine,
        isBootstrapOn: settings.bootstrap === "auto",
        windowMs: Math.min(Math.max(2_000, 4 * nodeTimeoutMs), maxTtlMs / 2),
        warn: ({ index, message }) =>
          this.#warn("QUORATE_NODE_COUNT_MISMATCH", `${this.#channels[index]?.name}: ${message}`),
      },
      clock,
    );
    this.#channels = configured.map(
      ({ transport, isDurable }, index) =>
        new NodeChannel(
          index,
          transport,
          {
            nodeCount: nodes.length,
            maxTtlMs,
            isDurable,
            isEvictionAllowed: settings.allowEviction,
            isIncarnationCompared: settings.quarantine,
            helloTimeoutMs,
            suspectAfterMs: nodeTimeoutMs,
            giveUpAfterMs: Math.max(2_000, 5 * nodeTimeoutMs),
          },
          this.#assembly,
          clock,
          entropy,
          (state, detail) => this.#onNodeState(index, state, detail),
        ),
    );
    const transports = configured.map(({ transport }) => transport);
    this.#inbox = new Inbox(transports, clock, entropy, {
      onTurn: (index, lockKey, turnMs) => this.#context.lines.onTurn(index, lockKey, turnMs),
      onHeard: () => this.#context.lines.onHeard(),
    });
    this.#context = {
      nodes: this.#channels,
      // A name that waits at a Cluster would have to be told through all of its members.
      lines: new Lines(this.#channels, clock, this.#hasCluster ? undefined : this.#inbox),
      clock,
      entropy,
      schedule: new Schedule(clock),
      renewals: new Renewals(clock),
      lastProposal: 0,
      observer: {
        onGranted: (holding) => this.#held.add(holding),
        onReleased: (holding) => this.#held.delete(holding),
        onLost: (holding, reason) => {
          this.#held.delete(holding);
          this.#tell("lost", { name: holding.keys.name, reason });
        },
      },
    };
    if (nodes.length % 2 === 0) {
      const message = `${nodes.length} nodes tolerate no more failures than ${nodes.length - 1}, and split more often`;
      this.#warn("QUORATE_EVEN_NODE_COUNT", message);
    }
    for (const channel of this.#channels) channel.start();
  }

  /** How the nodes look from here, in configured order. */
  get nodes(): readonly NodeStatus[] {
    return this.#channels.map((channel) => ({
      node: channel.name,
      state: channel.state,
      detail: channel.detail,
      quarantineLeftMs: channel.quarantineLeftMs,
    }));
  }

  /**
   * Acquires the lock, waiting up to `waitMs` while others hold it or nodes are missing.
   *
   * @throws WaitTimeoutError if it was held by others all the time (LockContendedError with
   *   `waitMs: 0`), QuorumUnreachableError if too few nodes answered, ValidityExhaustedError if they
   *   answered too late, ForeignKeyError if the key is somebody's data, MisconfiguredError,
   *   ClosedError, or the reason of `options.signal`. TypeError and RangeError for bad arguments.
   */
  acquire(name: string, options?: AcquireOptions): Promise<Lock> {
    return this.#acquire(name, options, this.#settings.wait.waitMs);
  }

  /**
   * One attempt: the lock, or null if somebody else holds it.
   *
   * @throws as {@link LockManager.acquire} does, but never because the lock is held.
   */
  async tryAcquire(name: string, options?: AcquireOptions): Promise<Lock | null> {
    try {
      return await this.#acquire(name, options, 0);
    } catch (error) {
      if (error instanceof LockContendedError || error instanceof WaitTimeoutError) return null;
      throw error;
    }
  }

  /**
   * Acquires the lock, runs the callback, releases the lock. What the callback returns or throws
   * is what comes out.
   *
   * @throws as {@link LockManager.acquire} does; what the callback throws; LockLostError if the
   *   lock was lost while the callback ran, with the callback's own error as `cause` or its
   *   result as `result`.
   */
  async request<T>(name: string, callback: (lock: Lock) => T | PromiseLike<T>): Promise<T>;
  async request<T>(
    name: string,
    options: AcquireOptions,
    callback: (lock: Lock) => T | PromiseLike<T>,
  ): Promise<T>;
  async request<T>(
    name: string,
    optionsOrCallback: AcquireOptions | ((lock: Lock) => T | PromiseLike<T>),
    maybeCallback?: (lock: Lock) => T | PromiseLike<T>,
  ): Promise<T> {
    const isShort = typeof optionsOrCallback === "function";
    const callback = isShort ? optionsOrCallback : maybeCallback;
    if (typeof callback !== "function") {
      throw new TypeError(`\`callback\` must be a function, got ${show(callback)}`);
    }
    const lock = await this.acquire(name, isShort ? undefined : optionsOrCallback);
    return runLocked(lock, callback, this.#settings.lossGraceMs);
  }

  /**
   * Resolves when a quorum of nodes is ready to vote.
   *
   * @throws MisconfiguredError as soon as a node is found that must not vote, ClosedError, or the
   *   signal's reason.
   */
  async ready(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await untilReady(this, () => this.#closing !== undefined, options.signal);
  }

  /**
   * Releases all locks, rejects what still waits with a {@link ClosedError}, and closes the
   * connections. Waits for the releases, and then for what is still on its way, each no longer than
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
    for (const acquiring of this.#acquiring) acquiring.abort();
    this.#context.renewals.close();
    const limit = pLimit(CLOSE_CONCURRENCY);
    await Promise.all([...this.#held].map((holding) => limit(() => holding.close())));
    // Rollbacks, and what a release still has on the way to nodes beyond its quorum.
    const { nodeTimeoutMs } = this.#settings.lease;
    await Promise.all(this.#channels.map((channel) => channel.drain(nodeTimeoutMs)));
    this.#assembly.close();
    this.#inbox.close();
    for (const channel of this.#channels) channel.close();
  }

  #acquire(name: string, options: AcquireOptions | undefined, waitMs: number): Promise<Lock> {
    return new Promise((resolve, reject) => {
      const keys = this.#keysOf(name);
      const { lease, wait, signal } = this.#resolve(options, waitMs);
      if (this.#closing !== undefined) throw new ClosedError(name);
      signal?.throwIfAborted();
      const onAbort = (): void => acquiring.abort();
      const acquiring = new Acquiring(this.#context, keys, lease, wait, (outcome) => {
        this.#acquiring.delete(acquiring);
        signal?.removeEventListener("abort", onAbort);
        if (outcome.kind === "granted") resolve(new Lock(outcome.holding, this.#names));
        else reject(this.#errorOf(outcome, acquiring, keys, wait.waitMs, signal));
      });
      this.#acquiring.add(acquiring);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #resolve(options: AcquireOptions | undefined, waitMs: number): ResolvedAcquire {
    if (options !== undefined) return resolveAcquireOptions(options, this.#settings, waitMs);
    const { lease, wait, once } = this.#settings;
    return { lease, wait: waitMs === 0 ? once : wait, signal: undefined };
  }

  #errorOf(
    outcome: Exclude<AcquireOutcome, { kind: "granted" }>,
    { waitedMs, attemptCount }: Acquiring,
    keys: NameKeys,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): unknown {
    if (outcome.kind === "aborted")
      return signal?.aborted ? signal.reason : new ClosedError(keys.name);
    return errorOf(keys, outcome, this.#names, { waitMs, waitedMs, attemptCount });
  }

  #keysOf(name: string): NameKeys {
    checkName(name);
    const keys = keysOf(this.#settings.keyPrefix, name);
    if (keys.lockKey.startsWith(RESERVED_PREFIX)) {
      throw new RangeError(
        `\`name\` makes a key in the reserved "${RESERVED_PREFIX}": ${show(name)}`,
      );
    }
    if (this.#hasCluster && !isOneSlot(keys)) {
      throw new RangeError(
        `\`name\` has braces that form no hash tag, for a Cluster: ${show(name)}`,
      );
    }
    return keys;
  }

  #onNodeState(index: number, state: ChannelState, detail: string): void {
    const channel = this.#channels[index];
    if (channel === undefined) return;
    const { name, quarantineLeftMs } = channel;
    if (state === "misconfigured") {
      this.#warn("QUORATE_MISCONFIGURED_NODE", `${name} does not vote: ${detail}`);
    }
    this.#tell("node", { node: name, state, detail, quarantineLeftMs });
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
