import type { ForeignStep } from "../node-keys.js";
import { isQuorum, wallMs, type ForeignLock, type ForeignSite } from "./foreign-lock.js";

// What version 5.0.0-beta.2 of the redlock package sends: its scripts for one key, its steps, and its default
// settings except for shorter pauses.

const ACQUIRE = `
for i, key in ipairs(KEYS) do
  if redis.call("exists", key) == 1 then
    return 0
  end
end
for i, key in ipairs(KEYS) do
  redis.call("set", key, ARGV[1], "PX", ARGV[2])
end
return #KEYS`;

const EXTEND = `
for i, key in ipairs(KEYS) do
  if redis.call("get", key) ~= ARGV[1] then
    return 0
  end
end
for i, key in ipairs(KEYS) do
  redis.call("set", key, ARGV[1], "PX", ARGV[2])
end
return #KEYS`;

const RELEASE = `
local count = 0
for i, key in ipairs(KEYS) do
  if redis.call("get", key) == ARGV[1] then
    redis.pcall("del", key)
    count = count + 1
  end
end
return count`;

const DRIFT_FACTOR = 0.01;
const RETRY_COUNT = 2;
const RETRY_DELAY_MS = 50;

/** A lock of the redlock package. */
export class RedlockLock implements ForeignLock {
  readonly #site: ForeignSite;
  #attemptCount = 0;
  /** Wall clock, ms; 0 after the release. */
  #expirationMs = 0;

  constructor(site: ForeignSite) {
    this.#site = site;
  }

  /**
   * Its value in the key, as long as its 16 random bytes in hex. Each call of `acquire` has one of its own: the release
   * of an earlier one may be executed late.
   */
  get ownerId(): string {
    return `${this.#site.id}-${this.#attemptCount}-`.padEnd(32, "f");
  }

  async tryLock(): Promise<number | undefined> {
    this.#attemptCount++;
    const startMs = wallMs(this.#site);
    const { ttlMs } = this.#site.settings;
    if (await this.#execute(ACQUIRE, [ttlMs], RETRY_COUNT)) return this.#holdFrom(startMs);
    await this.#execute(RELEASE, [], 0);
    return undefined;
  }

  async renew(): Promise<number | undefined> {
    const startMs = wallMs(this.#site);
    if (this.#expirationMs < startMs) return undefined;
    const isExtended = await this.#execute(EXTEND, [this.#site.settings.ttlMs], RETRY_COUNT);
    return isExtended ? this.#holdFrom(startMs) : undefined;
  }

  async unlock(): Promise<void> {
    this.#expirationMs = 0;
    await this.#execute(RELEASE, [], RETRY_COUNT);
  }

  #holdFrom(startMs: number): number {
    const { ttlMs } = this.#site.settings;
    this.#expirationMs = startMs + ttlMs - (Math.round(DRIFT_FACTOR * ttlMs) + 2);
    return this.#expirationMs;
  }

  async #execute(script: string, args: readonly number[], retryCount: number): Promise<boolean> {
    for (let left = retryCount; ; left--) {
      if (await this.#attempt(script, args)) return true;
      if (left === 0) return false;
      await this.#site.process.sleep(RETRY_DELAY_MS);
    }
  }

  /** Settles as soon as a quorum votes for it or against it. */
  #attempt(script: string, args: readonly number[]): Promise<boolean> {
    const { wires, key } = this.#site;
    const { ownerId } = this;
    const by: ForeignStep = { kind: "foreign", ownerId };
    return new Promise((resolve) => {
      let [forCount, againstCount] = [0, 0];
      const count = (isFor: boolean): void => {
        if (isFor) forCount++;
        else againstCount++;
        if (isQuorum(this.#site, forCount)) resolve(true);
        // It would wait without limit on an even split.
        else if (isQuorum(this.#site, againstCount) || forCount + againstCount === wires.length) {
          resolve(false);
        }
      };
      for (const wire of wires) {
        void wire.ask(["EVAL", script, 1, key, ownerId, ...args], by).then(
          (value) => count(value === 1),
          () => count(false),
        );
      }
    });
  }
}
