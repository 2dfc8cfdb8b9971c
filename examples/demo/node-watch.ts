import { Redis } from "ioredis";
import { nowMs } from "./now.js";
import { LOCK_KEY, LOOK_EVERY_MS, TTL_MS } from "./settings.js";

/** How a key begins whose name is reserved for a waiter. */
const RESERVED = "turn:";

/** The lock key on one node, as the node itself tells. */
export interface KeyReading {
  /** Label of the service whose key it is. */
  readonly holder: string;
  readonly pttlMs: number;
  /** The key lives until this instant (see `nowMs`) or a little longer. */
  readonly expiresAtMs: number;
}

/** Asks one node over a connection that has nothing to do with the library. */
export class NodeWatch implements Disposable {
  readonly #redis: Redis;
  readonly #timer: NodeJS.Timeout;
  #key: KeyReading | undefined;
  readonly #lastKeys = new Map<string, KeyReading>();
  #refillCount = 0;

  constructor(port: number) {
    this.#redis = new Redis(port, "127.0.0.1", {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 100,
    });
    // Nodes die in this demo: not an error here.
    this.#redis.on("error", () => {});
    this.#timer = setInterval(() => void this.read(), LOOK_EVERY_MS);
  }

  get isUp(): boolean {
    return this.#redis.status === "ready";
  }

  /** The lock key as it was a moment ago; undefined where there is none or the node is down. */
  get key(): KeyReading | undefined {
    return this.#key;
  }

  /** The last key of that service that was seen, be it gone or not. */
  lastKeyOf(holder: string): KeyReading | undefined {
    return this.#lastKeys.get(holder);
  }

  /** How often the key was seen to live longer than before. */
  get refillCount(): number {
    return this.#refillCount;
  }

  /** Asks the node now. */
  async read(): Promise<void> {
    // The connection keeps order: an answer that comes later was also asked later.
    this.#take(await this.#ask().catch(() => undefined));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#redis.disconnect();
  }

  async #ask(): Promise<KeyReading | undefined> {
    const askedAtMs = nowMs();
    const answers = await this.#redis.multi().get(LOCK_KEY).pttl(LOCK_KEY).exec();
    const [owner, pttlMs] = (answers ?? []).map(([, value]) => value);
    if (typeof owner !== "string" || typeof pttlMs !== "number") return undefined;
    // Nobody holds it yet.
    if (owner.startsWith(RESERVED)) return undefined;
    const holder = owner.slice(owner.indexOf(":") + 1);
    // Counted from before the question: the node read its clock later than that.
    return { holder, pttlMs, expiresAtMs: askedAtMs + pttlMs };
  }

  #take(key: KeyReading | undefined): void {
    const before = this.#key;
    this.#key = key;
    if (key === undefined) return;
    this.#lastKeys.set(key.holder, key);
    const gainedMs = key.expiresAtMs - (before?.expiresAtMs ?? Number.POSITIVE_INFINITY);
    if (key.holder === before?.holder && gainedMs > TTL_MS / 10) this.#refillCount++;
  }
}
