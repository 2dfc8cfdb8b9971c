import { show } from "../validate.js";
import { MAX_NODE_COUNT } from "../coordinator/node-sets.js";
import { UNOBSERVED } from "../coordinator/observer.js";
import type { QuorateWarning } from "../events.js";
import { openNodes, worldOf, type OpenNodes } from "../open-nodes.js";
import { DEFAULTS } from "../options.js";
import { hasTransport } from "../own-nodes.js";
import { quorumSize } from "../protocol/verdict.js";
import type { Runtime } from "../quorum.js";
import type { RedisClient } from "../redis/client-types.js";
import { MIN_TTL_MS, resolveManagerOptions, type ManagerSettings } from "../resolve-options.js";
import type { NodeSettings } from "./settings.js";

/** How long the first operation waits until it is known which nodes are there, ms. */
const OPENING_MS = 1_000;

/** How often the clients are looked at: one that is closed while it reconnects does not say so, ms. */
const WATCH_MS = 250;

interface Opened {
  readonly nodes: OpenNodes;
  /** Resolves when a quorum is ready, no node is on its way any more, or it takes too long. */
  readonly isSettled: Promise<void>;
}

/** By the first of their clients. */
const shared = new WeakMap<RedisClient, SharedNodes[]>();

/**
 * Connections of our own to the servers of clients that belong to others.
 *
 * All who give the same clients share them, since programs make a Redlock a request; they are
 * opened by the first operation, and closed when all of the clients have been: a program that
 * closes its clients ends, as it does with redlock.
 */
export class SharedNodes {
  readonly clients: readonly RedisClient[];
  /** Put before every resource by the clients, and so by us. */
  readonly keyPrefix: string;
  readonly #settings: ManagerSettings;
  /** What {@link SharedNodes.of} compares, beside the clients. */
  readonly #identity: string;
  readonly #onEnd = (): void => this.#closeIfUnused();
  #runtime: Runtime | undefined;
  #opened: Opened | undefined;
  #watch: NodeJS.Timeout | undefined;
  /** Operations under way. */
  #useCount = 0;
  /** `quitting`: the clients are being closed; they look alive until their connections have ended. */
  #quit: "no" | "quitting" | "quit" = "no";

  /**
   * @throws TypeError for what is no client of ioredis and for key prefixes that differ, RangeError
   *   for too many clients and for node settings out of range.
   */
  static of(
    clients: readonly RedisClient[],
    driftFactor: number,
    settings: NodeSettings,
  ): SharedNodes {
    const made = new SharedNodes(clients, driftFactor, settings);
    const [first] = clients;
    if (first === undefined) return made;
    const others = shared.get(first) ?? [];
    const same = others.find((other) => other.#isSameAs(made));
    if (same === undefined) shared.set(first, [...others, made]);
    return same ?? made;
  }

  private constructor(clients: readonly RedisClient[], driftFactor: number, given: NodeSettings) {
    if (clients.length > MAX_NODE_COUNT) {
      throw new RangeError(`\`clients\` must be 1 to ${MAX_NODE_COUNT}, got ${clients.length}`);
    }
    const prefixes = clients.map(keyPrefixOf);
    const [keyPrefix = ""] = prefixes;
    if (prefixes.some((prefix) => prefix !== keyPrefix)) {
      throw new TypeError(
        `\`clients\` must have one \`keyPrefix\`, got ${prefixes.map(show).join(", ")}`,
      );
    }
    this.clients = clients;
    this.keyPrefix = keyPrefix;
    this.#settings = settingsOf(driftFactor, keyPrefix, given);
    this.#identity = JSON.stringify([driftFactor, given]);
  }

  /** From where pauses and the wall clock come. */
  get runtime(): Runtime {
    this.#runtime ??= worldOf(this.clients);
    return this.#runtime;
  }

  /** The wall clock, ms since 1970. */
  get wallMs(): number {
    return this.runtime.clock.wallUs() / 1_000;
  }

  /** Clients that somebody may close: not the nodes that bring connections of their own. */
  get #closable(): readonly RedisClient[] {
    return this.clients.filter((client) => !hasTransport(client));
  }

  /** Whether all clients have been closed by their user. One that gave up by itself is only out of reach. */
  get isClosed(): boolean {
    const haveEnded = this.#haveEnded;
    if (this.#quit === "quitting" && haveEnded) this.#quit = "quit";
    // From there on their state says it all: they may be connected again.
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
   * A node that forgot is kept from voting for the longest lock there may be: one that is longer
   * than all before is put on record first.
   */
  async open(durationMs: number): Promise<OpenNodes | undefined> {
    if (this.isClosed) return undefined;
    if (this.#opened === undefined) {
      this.#opened = this.#open();
      this.#watchClients();
    }
    const { nodes, isSettled } = this.#opened;
    await isSettled;
    await nodes.allowTtl(durationMs);
    return nodes;
  }

  /** Closes the clients, and our connections. */
  async quit(): Promise<void> {
    this.#quit = "quitting";
    const quits = this.#closable.map((client) => client.quit());
    await Promise.all([this.close(), ...quits]);
  }

  /** Closes our connections; the clients are none of our business. */
  async close(): Promise<void> {
    this.#unwatchClients();
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.nodes.close(this.#settings.lease.nodeTimeoutMs);
  }

  get #haveEnded(): boolean {
    return this.clients.every((client) => endOf(client) !== undefined);
  }

  #closeIfUnused(): void {
    if (this.isClosed || (this.#haveEnded && this.#useCount === 0)) void this.close();
  }

  #watchClients(): void {
    const closable = this.#closable;
    if (closable.length === 0) return;
    for (const client of closable) client.on("end", this.#onEnd);
    this.#watch = setInterval(this.#onEnd, WATCH_MS).unref();
  }

  #unwatchClients(): void {
    clearInterval(this.#watch);
    for (const client of this.#closable) client.off("end", this.#onEnd);
  }

  #open(): Opened {
    let onChange = (): void => {};
    const configs = this.clients.map((client) =>
      hasTransport(client) ? client : { client, options: { keyPrefix: "" } },
    );
    const nodes = openNodes(configs, this.#settings, {
      ...UNOBSERVED,
      onNodeState: () => onChange(),
      onWarning: worldOf(this.clients).warn ?? warn,
    });
    const isSettled = new Promise<void>((resolve) => {
      const timer = nodes.context.clock.setTimer(OPENING_MS, resolve);
      onChange = () => {
        const states = nodes.channels.map(({ state }) => state);
        const readyCount = states.filter((state) => state === "ready").length;
        const isOnItsWay = states.includes("connecting");
        if (readyCount < quorumSize(states.length) && isOnItsWay) return;
        timer.cancel();
        resolve();
      };
    });
    return { nodes, isSettled };
  }

  #isSameAs(other: SharedNodes): boolean {
    return (
      this.#identity === other.#identity &&
      this.clients.length === other.clients.length &&
      this.clients.every((client, index) => client === other.clients[index])
    );
  }
}

function warn(code: QuorateWarning["code"], message: string): void {
  process.emitWarning(message, { code, type: "QuorateWarning" });
}

/** The settings of a manager for nodes whose locks are as long as each of their callers wants. */
function settingsOf(driftFactor: number, keyPrefix: string, given: NodeSettings): ManagerSettings {
  const { maxTtlMs = DEFAULTS.maxTtlMs } = given;
  // What is out of range is refused as what it was given as.
  const ttlMs = maxTtlMs >= MIN_TTL_MS ? Math.min(DEFAULTS.ttlMs, maxTtlMs) : DEFAULTS.ttlMs;
  return resolveManagerOptions({ ...given, maxTtlMs, ttlMs, driftFactor, keyPrefix });
}

/** What of a client tells how it ended; not all of it is in its types. */
interface ClientState {
  readonly status: string;
  readonly manuallyClosing?: boolean;
  readonly retryAttempts?: number;
  readonly options: { readonly retryStrategy?: unknown; readonly clusterRetryStrategy?: unknown };
}

/** How a client ended: closed by its user, or by itself because its retry strategy gave the server up. */
function endOf(client: RedisClient): "closed" | "gaveUp" | undefined {
  const { status, manuallyClosing, retryAttempts, options } = client as unknown as ClientState;
  if (status === "reconnecting" && manuallyClosing === true) return "closed";
  if (status !== "end") return undefined;
  const strategy = options.retryStrategy ?? options.clusterRetryStrategy;
  // The count is of failures in a row: a client that was closed while connected has none.
  const hasGivenUp = retryAttempts !== 0 || typeof strategy !== "function";
  return hasGivenUp && manuallyClosing !== true ? "gaveUp" : "closed";
}

function keyPrefixOf(client: RedisClient, index: number): string {
  if (hasTransport(client)) return "";
  if (typeof client?.duplicate !== "function" || typeof client.options !== "object") {
    throw new TypeError(`\`clients[${index}]\` must be a client of ioredis, got ${show(client)}`);
  }
  const { keyPrefix } = client.options as { readonly keyPrefix?: string };
  return keyPrefix ?? "";
}
