import { redissonChannel } from "../../src/kinds/redisson.js";
import type { ForeignStep } from "../node-keys.js";
import { askAll, isQuorum, wallMs, type ForeignLock, type ForeignSite } from "./foreign-lock.js";
import { FORCE_UNLOCK, RENEW, TRY_LOCK, UNLOCK, UNLOCK_MESSAGE } from "./redisson-scripts.js";

/**
 * Until when a lock requested at that time for that long can be relied on. Redisson itself checks no clock, and
 * keeps working after that.
 */
export function leaseEndMs(askedMs: number, leaseMs: number): number {
  return askedMs + leaseMs - Math.ceil(leaseMs * 0.01) - 2;
}

/** The hash field of a Redisson thread. */
export function threadField({ process, id }: ForeignSite): string {
  const [number = "0"] = process.name.match(/\d+/g) ?? [];
  const serial = id.slice(process.name.length + 1);
  return `f0de${number.padStart(4, "0")}-0000-4000-8000-000000000000:${serial}`;
}

/** A thread's `RLock` on one node, its `RedissonRedLock` on several. */
export class RedissonLock implements ForeignLock {
  /** Its field in the hash. */
  readonly ownerId: string;
  readonly #site: ForeignSite;
  readonly #by: ForeignStep;
  readonly #channel: string;
  #latchCount = 0;

  constructor(site: ForeignSite) {
    this.#site = site;
    this.ownerId = threadField(site);
    this.#by = { kind: "foreign", ownerId: this.ownerId };
    this.#channel = redissonChannel(site.key);
  }

  async tryLock(): Promise<number | undefined> {
    const untilMs = await this.#enter();
    if (untilMs === undefined) await this.#unlockAll();
    return untilMs;
  }

  /** Does what its watchdog does. */
  async renew(): Promise<number | undefined> {
    const askedMs = wallMs(this.#site);
    const { key, settings } = this.#site;
    const answers = await askAll(this.#site, (wire) =>
      wire.ask(["EVAL", RENEW, 1, key, settings.ttlMs, this.ownerId], this.#by),
    );
    const count = answers.filter((answer) => answer === 1).length;
    return isQuorum(this.#site, count) ? leaseEndMs(askedMs, settings.ttlMs) : undefined;
  }

  async enterAgain(): Promise<void> {
    await this.#enter();
    await this.#site.process.sleep(1);
    await this.#unlockAll();
  }

  async unlock(): Promise<void> {
    const { release } = this.#site.session;
    if (release === "careless") await this.#forceUnlock();
    else if (release !== "never") await this.#unlockAll();
  }

  /** On several nodes it would wake itself by releasing what a failed attempt had acquired. */
  listen(wake: () => void): () => void {
    if (this.#site.wires.length > 1) return () => {};
    return this.#site.subscribe(this.#channel, (message) => {
      if (message === UNLOCK_MESSAGE) wake();
    });
  }

  async #enter(): Promise<number | undefined> {
    const askedMs = wallMs(this.#site);
    const { key, settings } = this.#site;
    const answers = await askAll(this.#site, (wire) =>
      wire.ask(["EVAL", TRY_LOCK, 1, key, settings.ttlMs, this.ownerId], this.#by),
    );
    const count = answers.filter((answer) => answer === null).length;
    return isQuorum(this.#site, count) ? leaseEndMs(askedMs, settings.ttlMs) : undefined;
  }

  async #unlockAll(): Promise<void> {
    const { key, settings } = this.#site;
    const latch = `redisson_unlock_latch:{${key}}:${this.ownerId}:${this.#latchCount++}`;
    const given = [key, this.#channel, latch, UNLOCK_MESSAGE, settings.ttlMs, this.ownerId];
    await askAll(this.#site, (wire) =>
      wire.ask(["EVAL", UNLOCK, 3, ...given, "publish", 1_000], this.#by),
    );
  }

  async #forceUnlock(): Promise<void> {
    const by: ForeignStep = {
      ...this.#by,
      trespasses: (before) => before?.fields?.has(this.ownerId) !== true,
    };
    const given = [this.#site.key, this.#channel, UNLOCK_MESSAGE];
    await askAll(this.#site, (wire) => wire.ask(["EVAL", FORCE_UNLOCK, 2, ...given], by));
  }
}
