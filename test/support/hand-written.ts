import type { Redis } from "ioredis";

/**
 * A lock as people have written it by hand for many years: SETNX with the instant at which it ends;
 * once that is over, GETSET, and whoever is given the old instant back has it. By the caller's own
 * clock, and released by DEL if it is not over yet.
 */
export class HandWrittenLock {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #unitMs: number;
  #endsAt = 0;

  constructor(redis: Redis, key: string, unit: "ms" | "s") {
    this.#redis = redis;
    this.#key = key;
    this.#unitMs = unit === "ms" ? 1 : 1_000;
  }

  async tryLock(timeoutMs: number): Promise<boolean> {
    const endsAt = this.#now() + Math.ceil(timeoutMs / this.#unitMs) + 1;
    if ((await this.#redis.setnx(this.#key, endsAt)) === 1) {
      this.#endsAt = endsAt;
      return true;
    }
    const current = await this.#redis.get(this.#key);
    if (current === null || Number(current) >= this.#now()) return false;
    const before = await this.#redis.getset(this.#key, endsAt);
    if (before !== current) return false;
    this.#endsAt = endsAt;
    return true;
  }

  /** As one who has seen a lock that was over, and was overtaken before its GETSET: it writes all the same. */
  async loseTheRace(timeoutMs: number): Promise<string | null> {
    const endsAt = this.#now() + Math.ceil(timeoutMs / this.#unitMs) + 1;
    return this.#redis.getset(this.#key, endsAt);
  }

  async unlock(): Promise<void> {
    if (this.#now() < this.#endsAt) await this.#redis.del(this.#key);
  }

  #now(): number {
    return Math.floor(Date.now() / this.#unitMs);
  }
}
