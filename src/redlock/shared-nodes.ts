import { show } from "../checks.js";
import { MAX_NODE_COUNT } from "../coordinator/owed.js";
import { openNodes, type OpenNodes } from "../open-nodes.js";
import { DEFAULTS, type LockManagerOptions } from "../options.js";
import { quorumSize } from "../protocol/verdict.js";
import type { RedisClient } from "../redis/client-types.js";
import { resolveManagerOptions, type ManagerSettings } from "../resolve-options.js";
import type { NodeSettings } from "./settings.js";

/** How long the first operation waits until it is known which nodes are there, ms. */
const OPENING_MS = 1_000;

/** How often the clients are looked at: one that is closed while it reconnects does not say so, ms. */
const WATCH_MS = 250;

interface Opened {
  readonly nodes: OpenNodes;
  readonly settings: ManagerSettings;
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
  readonly #driftFactor: number;
  readonly #given: NodeSettings;
  readonly #onEnd = (): void => void (this.isEnded && this.close());
  #opened: Opened | undefined;
  #watch: NodeJS.Timeout | undefined;
  /** The clients are being closed; they look alive until their connections have ended. */
  #isQuitting = false;

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
    this.#driftFactor = driftFactor;
    this.#given = given;
    this.#resolve(0);
  }

  /** Whether all clients have been closed. */
  get isEnded(): boolean {
    const areClosed = this.clients.every(isClosed);
    // From here on their state says it all: they may be connected again.
    if (areClosed) this.#isQuitting = false;
    return areClosed || this.#isQuitting;
  }

  /**
   * The nodes, ready for locks of that duration; undefined if all of the clients have been closed.
   *
   * A node that forgot is kept from voting for the longest lock there may be. A lock that is longer
   * than all before takes new connections, which put that on record.
   */
  async open(durationMs: number): Promise<OpenNodes | undefined> {
    if (this.isEnded) return undefined;
    if (this.#opened === undefined || durationMs > this.#opened.settings.maxTtlMs) {
      void this.#closeNodes();
      this.#opened = this.#open(this.#resolve(durationMs));
      this.#watchClients();
    }
    const { nodes, isSettled } = this.#opened;
    await isSettled;
    return nodes;
  }

  /** Closes the clients, and our connections. */
  async quit(): Promise<void> {
    this.#isQuitting = true;
    const quits = this.clients.map((client) => client.quit());
    await Promise.all([this.close(), ...quits]);
  }

  /** Closes our connections; the clients are none of our business. */
  async close(): Promise<void> {
    this.#unwatchClients();
    await this.#closeNodes();
  }

  #watchClients(): void {
    this.#unwatchClients();
    for (const client of this.clients) client.on("end", this.#onEnd);
    this.#watch = setInterval(this.#onEnd, WATCH_MS).unref();
  }

  #unwatchClients(): void {
    clearInterval(this.#watch);
    for (const client of this.clients) client.off("end", this.#onEnd);
  }

  async #closeNodes(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.nodes.close(opened.settings.lease.nodeTimeoutMs);
  }

  #resolve(durationMs: number): ManagerSettings {
    const { maxTtlMs = DEFAULTS.maxTtlMs } = this.#given;
    const longestMs = Math.max(maxTtlMs, durationMs);
    const options: LockManagerOptions = {
      ...this.#given,
      maxTtlMs: longestMs,
      ttlMs: Math.min(DEFAULTS.ttlMs, longestMs),
      driftFactor: this.#driftFactor,
      keyPrefix: this.keyPrefix,
    };
    return resolveManagerOptions(options);
  }

  #open(settings: ManagerSettings): Opened {
    let onChange = (): void => {};
    const configs = this.clients.map((client) => ({ client, options: { keyPrefix: "" } }));
    const nodes = openNodes(configs, settings, {
      onGranted: () => {},
      onReleased: () => {},
      onLost: () => {},
      onNodeState: () => onChange(),
      onWarning: (code, message) => process.emitWarning(message, { code, type: "QuorateWarning" }),
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
    return { nodes, settings, isSettled };
  }

  #isSameAs(other: SharedNodes): boolean {
    return (
      this.clients.length === other.clients.length &&
      this.clients.every((client, index) => client === other.clients[index]) &&
      JSON.stringify([this.#driftFactor, this.#given]) ===
        JSON.stringify([other.#driftFactor, other.#given])
    );
  }
}

function isClosed(client: RedisClient): boolean {
  const { manuallyClosing = false } = client as unknown as { readonly manuallyClosing?: boolean };
  return client.status === "end" || (client.status === "reconnecting" && manuallyClosing);
}

function keyPrefixOf(client: RedisClient, index: number): string {
  if (typeof client?.duplicate !== "function" || typeof client.options !== "object") {
    throw new TypeError(`\`clients[${index}]\` must be a client of ioredis, got ${show(client)}`);
  }
  const { keyPrefix } = client.options as { readonly keyPrefix?: string };
  return keyPrefix ?? "";
}
