import type { ForeignStep } from "../node-keys.js";
import { askAll, isQuorum, wallMs, type ForeignLock, type ForeignSite } from "./foreign-lock.js";
import { leaseEndMs, threadField } from "./redisson.js";
import {
  READ_LOCK,
  READ_UNLOCK,
  UNLOCK_MESSAGE,
  WRITE_LOCK,
  WRITE_UNLOCK,
} from "./redisson-scripts.js";

/** A thread's `RReadWriteLock`. It checks only one field of the hash, so it enters locks of an RLock or of ours. */
export class ReadWriteLock implements ForeignLock {
  /** Its field in the hash. */
  readonly ownerId: string;
  readonly #site: ForeignSite;
  readonly #by: ForeignStep;
  readonly #thread: string;

  constructor(site: ForeignSite) {
    this.#site = site;
    this.#thread = threadField(site);
    this.ownerId = site.session.mode === "write" ? `${this.#thread}:write` : this.#thread;
    const trespasses = (): boolean => true;
    this.#by = { kind: "foreign", ownerId: this.ownerId, trespasses };
  }

  async tryLock(): Promise<number | undefined> {
    const askedMs = wallMs(this.#site);
    const { ttlMs } = this.#site.settings;
    const argv = this.#isWriter
      ? ["EVAL", WRITE_LOCK, 1, this.#site.key, ttlMs, this.ownerId]
      : this.#forRead(READ_LOCK, 2, [this.#timeouts], ttlMs, this.ownerId, `${this.#thread}:write`);
    const answers = await askAll(this.#site, (wire) => wire.ask(argv, this.#by));
    const count = answers.filter((answer) => answer === null).length;
    if (isQuorum(this.#site, count)) return leaseEndMs(askedMs, ttlMs);
    await this.unlock();
    return undefined;
  }

  async unlock(): Promise<void> {
    const { key, settings } = this.#site;
    const channel = `redisson_rwlock:{${key}}`;
    const writes = [key, channel, UNLOCK_MESSAGE, settings.ttlMs, this.ownerId];
    const argv = this.#isWriter
      ? ["EVAL", WRITE_UNLOCK, 2, ...writes]
      : this.#forRead(
          ...([READ_UNLOCK, 4, [channel, this.#timeouts, `{${key}}`]] as const),
          ...[UNLOCK_MESSAGE, this.ownerId],
        );
    await askAll(this.#site, (wire) => wire.ask(argv, this.#by));
  }

  get #isWriter(): boolean {
    return this.#site.session.mode === "write";
  }

  get #timeouts(): string {
    return `{${this.#site.key}}:${this.ownerId}:rwlock_timeout`;
  }

  #forRead(
    script: string,
    keyCount: number,
    keys: readonly string[],
    ...args: readonly (string | number)[]
  ): (string | number)[] {
    return ["EVAL", script, keyCount, this.#site.key, ...keys, ...args];
  }
}
