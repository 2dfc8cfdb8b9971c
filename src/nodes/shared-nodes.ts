import type { QuorateWarning } from "../api/events.js";
import type { LockManagerOptions } from "../api/options.js";
import type { Context } from "../coordinator/context.js";
import { MAX_NODE_COUNT, quorumSize } from "../protocol/quorum.js";
import type { RoundWatcher } from "../coordinator/round.js";
import { resolveManagerOptions, type ManagerSettings } from "../options/resolve.js";
import { DEFAULTS, MIN_TTL_MS } from "../options/table.js";
import type { Operation } from "../protocol/operation.js";
import type { RedisClient } from "../redis/client-types.js";
import { isOfNodeRedis } from "../redis/node-redis-options.js";
import { show, showWithoutLogin } from "../runtime/validate.js";
import { openNodes, worldOf, type OpenNodes } from "./open-nodes.js";
import type { Runtime } from "./open-quorum.js";
import { hasTransport, type OwnWorld } from "./simulated-nodes.js";

/** How long the first operation waits for nodes to connect, ms. */
const OPENING_MS = 1_000;

/** How often the clients are checked, ms: one that is closed while it reconnects emits no event. */
const WATCH_MS = 250;

/** Those with the same ones share nodes. */
type SharedOptions = Pick<
  LockManagerOptions,
  "driftFactor" | "maxTtlMs" | "quarantine" | "allowEviction"
>;

/** By their first client. */
const shared = new WeakMap<RedisClient, SharedNodes[]>();

/**
 * Our own connections to the servers of clients that belong to others.
 *
 * All users of the same clients share them, since programs create a Redlock per request. They are opened by the first
 * operation, and closed when all of the clients have been: a program that closes its clients can exit.
 */
export class SharedNodes {
  readonly clients: readonly RedisClient[];
  /** The clients' key prefix, which is put before every name. */
  readonly keyPrefix: string;
  /** Whether a node is a Cluster, where a step is limited to one hash slot. */
  readonly hasCluster: boolean;
  readonly runtime: Runtime & Partial<OwnWorld>;
  /** By an owner: who hears of its rounds. What a map has had may be kept for a while: so nothing large. */
  readonly ballots = new Map<string, { hear(operation: Operation): RoundWatcher }>();
  readonly #settings: ManagerSettings;
  /** What {@link SharedNodes.of} compares in addition to the clients. */
  readonly #identity: string;
  /** Clients that their user may close: not nodes with connections of their own. */
  readonly #closable: readonly RedisClient[];
  readonly #onEnd = (): void => this.#closeIfUnused();
  #opened: { readonly nodes: OpenNodes; readonly isSettled: Promise<void> } | undefined;
  #isRaiseTold = false;
  #watch: NodeJS.Timeout | undefined;
  /** Operations in progress. */
  #useCount = 0;
  /** `quitting`: the clients are being closed; they seem alive until their connections have ended. */
  #quit: "no" | "quitting" | "quit" = "no";

  /**
   * @throws TypeError for anything but a client of ioredis and for differing key prefixes, RangeError for too many
   *   clients and for options out of range.
   */
  static of(clients: readonly RedisClient[], options: SharedOptions): SharedNodes {
    const made = new SharedNodes(clients, options);
    const first = clients[0] as RedisClient;
    const others = shared.get(first) ?? [];
    const same = others.find(
      (other) =>
        other.#identity === made.#identity &&
        other.clients.length === clients.length &&
        other.clients.every((client, index) => client === clients[index]),
    );
    if (same === undefined) shared.set(first, [...others, made]);
    return same ?? made;
  }

  private constructor(clients: readonly RedisClient[], options: SharedOptions) {
    if (clients.length > MAX_NODE_COUNT) {
      throw new RangeError(`\`clients\` must be 1 to ${MAX_NODE_COUNT}, got ${clients.length}`);
    }
    const prefixes = clients.map(keyPrefixOf);
    const [keyPrefix = ""] = prefixes;
    if (prefixes.some((prefix) => prefix !== keyPrefix)) {
      const all = prefixes.map(show).join(", ");
      throw new TypeError(`\`clients\` must have one \`keyPrefix\`, got ${all}`);
    }
    this.clients = clients;
    this.keyPrefix = keyPrefix;
    this.hasCluster = clients.some(({ isCluster }) => isCluster);
    this.runtime = worldOf(clients);
    this.#settings = settingsOf(keyPrefix, options);
    this.#identity = JSON.stringify(this.#settings.given);
    this.#closable = clients.filter((client) => !hasTransport(client));
  }

  /** Of the current connections. */
  get context(): Context | undefined {
    return this.#opened?.nodes.context;
  }

  /**
   * Whether all clients have been closed by their user, as far as they show it now. One that gave up reconnecting is
   * only unreachable.
   */
  checkClosed(): boolean {
    const haveEnded = this.#haveEnded;
    if (this.#quit === "quitting" && haveEnded) this.#quit = "quit";
    // From here on their state is sufficient: they may be connected again.
    else if (this.#quit === "quit" && !haveEnded) this.#quit = "no";
    return this.#quit !== "no" || this.clients.every((client) => endOf(client) === "closed");
  }

  /** Runs an operation. Meanwhile connections stay open, even if the clients have given up. */
  async use<T>(operation: () => Promise<T>): Promise<T> {
    this.#useCount++;
    try {
      return await operation();
    } finally {
      this.#useCount--;
      this.#closeIfUnused();
    }
  }

  /**
   * The nodes, ready for locks of that duration; undefined if all of the clients have been closed.
   *
   * A node that lost its data does not vote for the longest possible ttl: a longer one than any before is first put
   * on record.
   */
  async open(durationMs: number): Promise<OpenNodes | undefined> {
    if (this.checkClosed()) return undefined;
    const { nodes, isSettled } = (this.#opened ??= this.#open());
    await isSettled;
    await nodes.allowTtl(durationMs);
    return nodes;
  }

  /** Closes the clients, and our connections. */
  async quit(): Promise<void> {
    this.#quit = "quitting";
    await Promise.all([this.close(), ...this.#closable.map((client) => client.quit())]);
  }

  /** Closes our connections, not the clients. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    for (const client of this.#closable) client.off("end", this.#onEnd);
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.nodes.close(this.#settings.lease.nodeTimeoutMs);
  }

  get #haveEnded(): boolean {
    return this.clients.every((client) => endOf(client) !== undefined);
  }

  #closeIfUnused(): void {
    if (this.checkClosed() || (this.#haveEnded && this.#useCount === 0)) void this.close();
  }

  /** Settled: a quorum is ready, no node is still connecting, or the time is up. */
  #open(): { readonly nodes: OpenNodes; readonly isSettled: Promise<void> } {
    let onChange = (): void => {};
    const configs = this.clients.map((client) =>
      hasTransport(client) ? client : { client, options: { keyPrefix: "" } },
    );
    const nodes = openNodes(configs, this.#settings, {
      onRound: (operation) => this.ballots.get(operation.ownerId)?.hear(operation),
      onNodeState: () => onChange(),
      onWarning: (code, message) => this.#warn(code, message),
    });
    const isSettled = new Promise<void>((resolve) => {
      const timer = nodes.context.clock.setTimer(OPENING_MS, resolve);
      onChange = () => {
        const states = nodes.channels.map(({ state }) => state);
        const readyCount = states.filter((state) => state === "ready").length;
        if (readyCount < quorumSize(states.length) && states.includes("connecting")) return;
        timer.cancel();
        resolve();
      };
    });
    for (const client of this.#closable) client.on("end", this.#onEnd);
    if (this.#closable.length > 0) this.#watch = setInterval(this.#onEnd, WATCH_MS).unref();
    return { nodes, isSettled };
  }

  /** Durations come with each call: that one of them has raised the record is said once. */
  #warn(code: QuorateWarning["code"], message: string): void {
    const isRaise = code === "QUORATE_MAX_TTL";
    if (isRaise && this.#isRaiseTold) return;
    this.#isRaiseTold ||= isRaise;
    if (this.runtime.warn !== undefined) this.runtime.warn(code, message);
    else process.emitWarning(message, { code, type: "QuorateWarning" });
  }
}

/** The settings of a manager for nodes where each caller chooses the duration of its locks. */
function settingsOf(keyPrefix: string, given: SharedOptions): ManagerSettings {
  const { maxTtlMs = DEFAULTS.maxTtlMs } = given;
  // Without a value of its own, it takes the records' until a lock needs more.
  // A value out of range is reported as it was given.
  const ttlMs = maxTtlMs >= MIN_TTL_MS ? Math.min(DEFAULTS.ttlMs, maxTtlMs) : DEFAULTS.ttlMs;
  const settings = resolveManagerOptions({ ...given, ttlMs, keyPrefix });
  // No lock is usual: the records limit none, as each call raises them to what it needs.
  const longestTtl = { ...settings.longestTtl, usualTtlMs: Number.POSITIVE_INFINITY };
  return { ...settings, longestTtl };
}

/** The part of a client that shows how it ended; not all of it is in its types. */
interface ClientState {
  readonly status: string;
  readonly manuallyClosing?: boolean;
  readonly retryAttempts?: number;
  readonly options: { readonly retryStrategy?: unknown; readonly clusterRetryStrategy?: unknown };
}

/** How a client ended: closed by its user, or because its retry strategy gave up on the server. */
function endOf(client: RedisClient): "closed" | "gaveUp" | undefined {
  const { status, manuallyClosing, retryAttempts, options } = client as unknown as ClientState;
  if (status === "reconnecting" && manuallyClosing === true) return "closed";
  if (status !== "end") return undefined;
  const strategy = options.retryStrategy ?? options.clusterRetryStrategy;
  // Counts consecutive failures: a client that was closed while connected has none.
  const hasGivenUp = retryAttempts !== 0 || typeof strategy !== "function";
  return hasGivenUp && manuallyClosing !== true ? "gaveUp" : "closed";
}

function keyPrefixOf(client: RedisClient, index: number): string {
  if (hasTransport(client)) return "";
  const isClient = typeof client?.duplicate === "function" && typeof client.options === "object";
  // It does not show that its user has closed it, as one of ioredis does: our connections would stay open.
  const isOther = isClient && isOfNodeRedis(client);
  if (!isClient || isOther) {
    const got = isOther
      ? "one of node-redis, which only a LockManager takes"
      : showWithoutLogin(client);
    throw new TypeError(`\`clients[${index}]\` must be a client of ioredis, got ${got}`);
  }
  const { keyPrefix } = client.options as { readonly keyPrefix?: string };
  return keyPrefix ?? "";
}
