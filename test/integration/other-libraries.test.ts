import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { ExecutionError, Redlock, type Lock } from "@sesamecare-oss/redlock";
import type { Redis } from "ioredis";
import { Mutex, RedlockMutex, RedlockSemaphore, TimeoutError } from "redis-semaphore";
import {
  createLock,
  createRedlock,
  IoredisAdapter,
  LockAcquisitionError,
  type LockHandle,
  type RedLock,
} from "redlock-universal";
import { ForeignKeyError, LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at, noLockKeys } from "../support/nodes.js";
import { withRawClients } from "../support/raw.js";
import { rejectionWith } from "../support/settle.js";

/** A lock of another library on the name "job", tried once. */
interface Theirs {
  readonly acquire: () => Promise<unknown>;
  /** What it takes for a lock that is held. */
  readonly refusal: new (...args: never[]) => Error;
  readonly extend: () => Promise<unknown>;
  readonly release: () => Promise<unknown>;
}

type Clients = readonly Redis[];

function ofSemaphore(mutex: Mutex | RedlockMutex): Theirs {
  return {
    acquire: () => mutex.acquire(),
    refusal: TimeoutError,
    extend: () => sleep(4 * REFRESH_MS),
    release: () => mutex.release(),
  };
}

function ofUniversal(lock: RedLock): Theirs {
  let handle: LockHandle | undefined;
  const held = (): LockHandle => {
    if (handle === undefined) throw new Error("not acquired");
    return handle;
  };
  return {
    acquire: async () => (handle = await lock.acquire()),
    refusal: LockAcquisitionError,
    extend: () => lock.extend(held(), 10_000),
    release: () => lock.release(held()),
  };
}

function ofFork(redlock: Redlock): Theirs {
  let lock: Lock | undefined;
  return {
    acquire: async () => (lock = await redlock.acquire(["job"], 10_000)),
    refusal: ExecutionError,
    extend: async () => (lock = await lock?.extend(10_000)),
    release: async () => lock?.release(),
  };
}

const REFRESH_MS = 30;
const ONCE = { acquireAttemptsLimit: 1, refreshInterval: REFRESH_MS };
const UNIVERSAL = { key: "job", ttl: 10_000, retryAttempts: 0 };
const adaptersOf = (clients: Clients): IoredisAdapter[] =>
  clients.map((client) => new IoredisAdapter(client));

const [ONE, THREE] = [[3, 4] as const, [0, 3] as const];

/** As docs/how-to/other-clients.md says. */
const LIBRARIES: readonly (readonly [
  what: string,
  keyPrefix: string,
  /** Which of four: a lock manager warns of a node that others use with other nodes. */
  nodes: readonly [from: number, to: number],
  make: (clients: Clients) => Theirs,
])[] = [
  [
    "a Mutex of redis-semaphore",
    "mutex:",
    ONE,
    (c) => ofSemaphore(new Mutex(at(c, 0), "job", ONCE)),
  ],
  [
    "a RedlockMutex of redis-semaphore",
    "mutex:",
    THREE,
    (clients) => ofSemaphore(new RedlockMutex([...clients], "job", ONCE)),
  ],
  [
    "createLock of redlock-universal",
    "",
    ONE,
    (clients) => ofUniversal(createLock({ ...UNIVERSAL, adapter: at(adaptersOf(clients), 0) })),
  ],
  [
    "createRedlock of redlock-universal",
    "",
    THREE,
    (clients) => ofUniversal(createRedlock({ ...UNIVERSAL, adapters: adaptersOf(clients) })),
  ],
  [
    "@sesamecare-oss/redlock",
    "",
    THREE,
    (clients) => ofFork(new Redlock(clients, { retryCount: 0 })),
  ],
];

describe("Locks of other libraries, with the key prefix that they have", () => {
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 4 });
  });
  after(() => fleet.stop());

  for (const [what, keyPrefix, [from, to], make] of LIBRARIES) {
    it(`${what} excludes, and is excluded`, async () => {
      await using locks = new LockManager(fleet.urls.slice(from, to), {
        keyPrefix,
      });
      await withRawClients(fleet.nodes.slice(from, to), async (clients) => {
        const theirs = make(clients);
        await theirs.acquire();
        expect(await locks.tryAcquire("job")).to.equal(null);
        await theirs.extend();
        expect(await locks.tryAcquire("job")).to.equal(null);
        await theirs.release();

        const lock = await locks.acquire("job", { waitMs: 0 });
        await rejectionWith(theirs.refusal, theirs.acquire());
        expect(await lock.release()).to.equal("released");

        await theirs.acquire();
        const waiting = locks.acquire("job", { waitMs: 20_000 });
        await theirs.release();
        await (await waiting).release();
      });
      await noLockKeys(fleet.nodes);
    });
  }

  it("@sesamecare-oss/redlock locks in the database of its setting, whatever its clients select", async () => {
    const urls = fleet.urls.slice(0, 3);
    await using other = new LockManager(
      urls.map((url) => `${url}/5`),
      { keyPrefix: "" },
    );
    await using same = new LockManager(urls, { keyPrefix: "" });
    await withRawClients(fleet.nodes.slice(0, 3), async (clients) => {
      await Promise.all(clients.map((client) => client.select(5)));
      const lock = await new Redlock(clients).acquire(["job"], 10_000);
      expect(await same.tryAcquire("job")).to.equal(null);
      const second = await other.acquire("job", { waitMs: 0 });
      await second.release();
      await lock.release();
    });
    await noLockKeys(fleet.nodes);
  });

  it("semaphores of redis-semaphore refuse those of one prefix, and are refused", async () => {
    await using locks = new LockManager(fleet.urls.slice(0, 3), { keyPrefix: "semaphore:" });
    const ours = locks.semaphore("job", { permits: 2 });
    await withRawClients(fleet.nodes.slice(0, 3), async (clients) => {
      const theirs = new RedlockSemaphore([...clients], "job", 2, ONCE);
      await theirs.acquire();
      await rejectionWith(ForeignKeyError, ours.acquire({ waitMs: 0 }));
      await theirs.release();

      const permit = await ours.acquire();
      await rejectionWith(Error, theirs.acquire());
      expect(await permit.release()).to.equal("released");
      await noLockKeys(fleet.nodes);
    });
  });
});
