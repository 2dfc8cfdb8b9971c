import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import {
  FORCE_UNLOCK,
  READ_LOCK,
  READ_UNLOCK,
  RENEW,
  TRY_LOCK,
  UNLOCK,
  UNLOCK_MESSAGE,
  WRITE_LOCK,
  WRITE_UNLOCK,
} from "../../sim/foreign/redisson-scripts.js";

/** Of Redisson 2 and 3.0. */
const OLD_TRY_LOCK = `
if (redis.call('exists', KEYS[1]) == 0) then
redis.call('hset', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
redis.call('hincrby', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
return redis.call('pttl', KEYS[1]);`;

/** Without the latch that lets it send the script again. */
const OLD_UNLOCK = `
if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then
return nil;
end;
local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1);
if (counter > 0) then
redis.call('pexpire', KEYS[1], ARGV[2]);
return 0;
else
redis.call('del', KEYS[1]);
redis.call('publish', KEYS[2], ARGV[1]);
return 1;
end;
return nil;`;

/** A thread of a client with Redisson: an RLock on one node, a RedissonRedLock on several. */
export class RedissonThread {
  /** As which it stands in the hash: the id of the client, and of the thread. */
  readonly field: string;
  readonly #clients: readonly Redis[];
  readonly #isOld: boolean;

  constructor(
    clients: readonly Redis[],
    { isOld = false, field = `${randomUUID()}:1` }: { isOld?: boolean; field?: string } = {},
  ) {
    this.#clients = clients;
    this.field = field;
    this.#isOld = isOld;
  }

  /** One try: undefined if it has the lock on a quorum, else the longest time for which it is held. */
  async tryLock(name: string, leaseMs: number): Promise<number | undefined> {
    const answers = await this.#all((client) =>
      client.eval(this.#isOld ? OLD_TRY_LOCK : TRY_LOCK, 1, name, leaseMs, this.field),
    );
    const grantedCount = answers.filter((answer) => answer === null).length;
    if (grantedCount > this.#clients.length / 2) return undefined;
    await this.unlock(name);
    return Math.max(0, ...answers.map((answer) => (typeof answer === "number" ? answer : 0)));
  }

  /**
   * As its `lock()`: waits for the message of a release, or until the lock can have run out.
   *
   * @param onRefused called when it has been refused while it listens
   */
  async lock(
    name: string,
    leaseMs: number,
    onRefused: () => void = () => {},
  ): Promise<{ readonly wokenCount: number }> {
    const listeners = this.#clients.map((client) => client.duplicate());
    let wake = (): void => {};
    let wokenCount = 0;
    try {
      await Promise.all(
        listeners.map(async (listener) => {
          listener.on("error", () => {});
          listener.on("message", (_, message) => {
            if (message !== UNLOCK_MESSAGE) return;
            wokenCount++;
            wake();
          });
          await listener.connect().catch(() => {});
          await listener.subscribe(channelOf(name)).catch(() => {});
        }),
      );
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const leftMs = await this.tryLock(name, leaseMs);
        if (leftMs === undefined) return { wokenCount };
        onRefused();
        await Promise.race([woken, sleep(leftMs)]);
      }
    } finally {
      for (const listener of listeners) listener.disconnect();
    }
  }

  /** What each node answered: 1 if it is free now, 0 if the thread is still in, null if it was not. */
  async unlock(name: string, leaseMs = 30_000): Promise<unknown[]> {
    const [channel, args] = [channelOf(name), [UNLOCK_MESSAGE, leaseMs, this.field]];
    if (this.#isOld) {
      return this.#all((client) => client.eval(OLD_UNLOCK, 2, name, channel, ...args));
    }
    const latch = `redisson_unlock_latch:{${name}}:${randomUUID()}`;
    const latched = [name, channel, latch, ...args, "publish", 1_000];
    return this.#all((client) => client.eval(UNLOCK, 3, ...latched));
  }

  /** `getReadWriteLock(name).readLock()` or `.writeLock()`: one try; what each node answered, null if it is in. */
  async tryReadWrite(mode: "read" | "write", name: string, leaseMs: number): Promise<unknown[]> {
    const { writeField } = this;
    if (mode === "write") {
      return this.#all((client) => client.eval(WRITE_LOCK, 1, name, leaseMs, writeField));
    }
    const keys = [name, `{${name}}:${this.field}:rwlock_timeout`];
    return this.#all((client) =>
      client.eval(READ_LOCK, 2, ...keys, leaseMs, this.field, writeField),
    );
  }

  /** What each node answered: 1 if the thread is out, 0 if it or others are in, null if it was not. */
  async unlockReadWrite(mode: "read" | "write", name: string): Promise<unknown[]> {
    const channel = `redisson_rwlock:{${name}}`;
    if (mode === "write") {
      const args = [UNLOCK_MESSAGE, 30_000, this.writeField];
      return this.#all((client) => client.eval(WRITE_UNLOCK, 2, name, channel, ...args));
    }
    const keys = [name, channel, `{${name}}:${this.field}:rwlock_timeout`, `{${name}}`];
    return this.#all((client) => client.eval(READ_UNLOCK, 4, ...keys, UNLOCK_MESSAGE, this.field));
  }

  /** As which it stands in the hash while it writes. */
  get writeField(): string {
    return `${this.field}:write`;
  }

  async forceUnlock(name: string): Promise<unknown[]> {
    const channel = channelOf(name);
    return this.#all((client) => client.eval(FORCE_UNLOCK, 2, name, channel, UNLOCK_MESSAGE));
  }

  /** What its watchdog does. */
  async renew(name: string, leaseMs: number): Promise<unknown[]> {
    return this.#all((client) => client.eval(RENEW, 1, name, leaseMs, this.field));
  }

  /** `getHoldCount()`, on the node that counts most. */
  async holdCount(name: string): Promise<number> {
    const counts = await this.#all((client) => client.hget(name, this.field));
    return Math.max(...counts.map((count) => Number(count ?? 0)));
  }

  /** A node that is down has no answer. */
  async #all(ask: (client: Redis) => Promise<unknown>): Promise<unknown[]> {
    return Promise.all(this.#clients.map((client) => ask(client).catch(() => undefined)));
  }
}

function channelOf(name: string): string {
  const prefix = "redisson_lock__channel:";
  return name.includes("{") ? prefix + name : `${prefix}{${name}}`;
}
