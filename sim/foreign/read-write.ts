import type { ForeignStep } from "../node-keys.js";
import { askAll, isQuorum, wallMs, type ForeignLock, type ForeignSite } from "./foreign-lock.js";
import { leaseEndMs, threadField, UNLOCK_MESSAGE } from "./redisson.js";

// What Redisson sends, as its sources have it: RedissonReadLock and RedissonWriteLock
// (tryLockInnerAsync, unlockInnerAsync).

const READ_LOCK = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then
redis.call('hset', KEYS[1], 'mode', 'read');
redis.call('hset', KEYS[1], ARGV[2], 1);
redis.call('set', KEYS[2] .. ':1', 1);
redis.call('pexpire', KEYS[2] .. ':1', ARGV[1]);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
if (mode == 'read') or (mode == 'write' and redis.call('hexists', KEYS[1], ARGV[3]) == 1) then
local ind = redis.call('hincrby', KEYS[1], ARGV[2], 1);
local key = KEYS[2] .. ':' .. ind;
redis.call('set', key, 1);
redis.call('pexpire', key, ARGV[1]);
local remainTime = redis.call('pttl', KEYS[1]);
redis.call('pexpire', KEYS[1], math.max(remainTime, ARGV[1]));
return nil;
end;
return redis.call('pttl', KEYS[1]);`;

const WRITE_LOCK = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then
redis.call('hset', KEYS[1], 'mode', 'write');
redis.call('hset', KEYS[1], ARGV[2], 1);
redis.call('pexpire', KEYS[1], ARGV[1]);
return nil;
end;
if (mode == 'write') then
if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then
redis.call('hincrby', KEYS[1], ARGV[2], 1);
local currentExpire = redis.call('pttl', KEYS[1]);
redis.call('pexpire', KEYS[1], currentExpire + ARGV[1]);
return nil;
end;
end;
return redis.call('pttl', KEYS[1]);`;

const READ_UNLOCK = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then
redis.call('publish', KEYS[2], ARGV[1]);
return 1;
end;
local lockExists = redis.call('hexists', KEYS[1], ARGV[2]);
if (lockExists == 0) then
return nil;
end;
local counter = redis.call('hincrby', KEYS[1], ARGV[2], -1);
if (counter == 0) then
redis.call('hdel', KEYS[1], ARGV[2]);
end;
redis.call('del', KEYS[3] .. ':' .. (counter + 1));
if (redis.call('hlen', KEYS[1]) > 1) then
local maxRemainTime = -3;
local keys = redis.call('hkeys', KEYS[1]);
for n, key in ipairs(keys) do
counter = tonumber(redis.call('hget', KEYS[1], key));
if type(counter) == 'number' then
for i = counter, 1, -1 do
local remainTime = redis.call('pttl', KEYS[4] .. ':' .. key .. ':rwlock_timeout:' .. i);
maxRemainTime = math.max(remainTime, maxRemainTime);
end;
end;
end;
if maxRemainTime > 0 then
redis.call('pexpire', KEYS[1], maxRemainTime);
return 0;
end;
if mode == 'write' then
return 0;
end;
end;
redis.call('del', KEYS[1]);
redis.call('publish', KEYS[2], ARGV[1]);
return 1;`;

const WRITE_UNLOCK = `
local mode = redis.call('hget', KEYS[1], 'mode');
if (mode == false) then
redis.call('publish', KEYS[2], ARGV[1]);
return 1;
end;
if (mode == 'write') then
local lockExists = redis.call('hexists', KEYS[1], ARGV[3]);
if (lockExists == 0) then
return nil;
else
local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1);
if (counter > 0) then
redis.call('pexpire', KEYS[1], ARGV[2]);
return 0;
else
redis.call('hdel', KEYS[1], ARGV[3]);
if (redis.call('hlen', KEYS[1]) == 1) then
redis.call('del', KEYS[1]);
redis.call('publish', KEYS[2], ARGV[1]);
else
redis.call('hset', KEYS[1], 'mode', 'read');
end;
return 1;
end;
end;
end;
return nil;`;

/** A thread's `RReadWriteLock`, which looks at one field of the hash only: it enters what an RLock or we hold. */
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
