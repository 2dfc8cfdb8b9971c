import { expect } from "chai";
import { DEFAULTS, LockManager, type GivenLock } from "../../src/index.js";
import { OPTION_NAMES, optionsOf, type Place } from "../../src/options/table.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at } from "../support/nodes.js";
import { rejectionOf } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** Nobody is there, and nobody is asked: what is wrong is said before. */
const NODES = ["redis://127.0.0.1:1"];

const GIVEN: GivenLock = {
  kind: "quorate-lock",
  version: 1,
  name: "name",
  lockKey: "lock:name",
  mode: "exclusive",
  ownerId: "A".repeat(22),
  fencingToken: 7,
  ttlMs: 10_000,
};

type Kind = typeof TypeError | typeof RangeError;
type Row = readonly [options: Record<string, unknown>, kind: Kind, ...says: (string | RegExp)[]];

const LOCK_OPTIONS: readonly Row[] = [
  [{ ttlMs: 0 }, RangeError, "`ttlMs`", "got 0"],
  [{ ttlMs: 9 }, RangeError, "`ttlMs`", "got 9"],
  [{ ttlMs: -1 }, RangeError, "`ttlMs`", "got -1"],
  [{ ttlMs: 1_000.5 }, RangeError, "`ttlMs`", "1000.5"],
  [{ ttlMs: "10s" }, TypeError, "`ttlMs`", '"10s"'],
  [{ ttlMs: Number.NaN }, TypeError, "`ttlMs`", "NaN"],
  [{ ttlMs: 10n }, TypeError, "`ttlMs`", "10"],
  [{ minHoldMs: -1 }, RangeError, "`minHoldMs`", "got -1"],
  [{ minHoldMs: 9_900 }, RangeError, "`minHoldMs`", "got 9900"],
  [{ renew: "yes" }, TypeError, "`renew`", '"yes"'],
  [{ renew: 1 }, TypeError, "`renew`", "got 1"],
  [{ maxHoldMs: 0 }, RangeError, "`maxHoldMs`", "got 0"],
  [{ maxHoldMs: "1h" }, TypeError, "`maxHoldMs`", '"1h"'],
  [{ fencing: false }, TypeError, "unknown option", "`fencing`"],
  [{ label: 5 }, TypeError, "`label`", "got 5"],
  [{ label: "x".repeat(201) }, RangeError, "`label`", "201"],
  [{ waitMs: -1 }, RangeError, "`waitMs`", "got -1"],
  [{ waitMs: "long" }, TypeError, "`waitMs`", '"long"'],
  [{ ttl: 5_000 }, TypeError, "unknown option", "`ttl`"],
  [{ timeout: 5_000 }, TypeError, "unknown option", "`timeout`"],
];

const MANAGER_OPTIONS: readonly Row[] = [
  ...LOCK_OPTIONS,
  [{ nodeTimeoutMs: 0 }, RangeError, "`nodeTimeoutMs`", "got 0"],
  [{ nodeTimeoutMs: "1" }, TypeError, "`nodeTimeoutMs`", '"1"'],
  [{ layout: "sorted-set" }, RangeError, "`layout`", '"redisson"', '"sorted-set"'],
  [{ layout: {} }, TypeError, "`layout`"],
  [{ retry: 5 }, TypeError, "`retry`", "got 5"],
  [{ retry: { minDelayMs: 0 } }, RangeError, "`retry.minDelayMs`", "got 0"],
  [{ retry: { minDelayMs: 50, maxDelayMs: 20 } }, RangeError, "`retry.maxDelayMs`", "got 20"],
  [{ retry: { delayMs: 5 } }, TypeError, "unknown option", "`retry.delayMs`"],
  [{ maxTtlMs: 5 }, RangeError, "`maxTtlMs`", "got 5"],
  [{ maxTtlMs: 5_000 }, RangeError, "`ttlMs`", "5000", "got 10000"],
  [{ driftFactor: -0.1 }, RangeError, "`driftFactor`", "-0.1"],
  [{ driftFactor: 0.6 }, RangeError, "`driftFactor`", "0.6"],
  [{ ttlMs: 10, nodeTimeoutMs: 5, driftFactor: 0.9 }, RangeError, "`driftFactor`", "0.9"],
  [{ keyPrefix: 5 }, TypeError, "`keyPrefix`", "got 5"],
  [{ quarantine: "no" }, RangeError, "`quarantine`", '"no"'],
  [{ quarantine: false }, TypeError, "`quarantine`", "got false", '"off" is meant'],
  [{ allowEviction: 1 }, TypeError, "`allowEviction`", "got 1"],
  [{ lossGraceMs: -5 }, RangeError, "`lossGraceMs`", "got -5"],
  [{ quorum: 2 }, TypeError, "unknown option", "`quorum`"],
];

const ACQUIRE_OPTIONS: readonly Row[] = [
  ...LOCK_OPTIONS,
  [{ ttlMs: 60_001 }, RangeError, "`ttlMs`", "60000", "got 60001"],
  [{ signal: {} }, TypeError, "`signal`", "AbortSignal"],
  [{ owner: "" }, RangeError, "`owner`", "got 0"],
  [{ owner: "quorate:hold" }, RangeError, "`owner`", '"quorate:hold"'],
  [{ owner: 17 }, TypeError, "`owner`", "got 17"],
  [{ owner: "job", mode: "shared" }, RangeError, "`mode`", "`owner`"],
];

const NAMES: readonly (readonly [unknown, Kind, ...(string | RegExp)[]])[] = [
  ["", RangeError, "`name`", "got 0"],
  ["x".repeat(1_025), RangeError, "`name`", "1025"],
  ["ü".repeat(600), RangeError, "`name`", "1200"],
  [undefined, TypeError, "`name`", "undefined"],
  [42, TypeError, "`name`", "42"],
  [null, TypeError, "`name`", "null"],
  [{}, TypeError, "`name`"],
];

const NODE_LISTS: readonly (readonly [unknown, Kind, ...(string | RegExp)[]])[] = [
  [undefined, TypeError, "`nodes`", "undefined"],
  ["redis://127.0.0.1:1", TypeError, "`nodes`"],
  [[], RangeError, "`nodes`", "got 0"],
  [Array.from({ length: 31 }, () => at(NODES, 0)), RangeError, "`nodes`", "got 31"],
  [[5], TypeError, "`nodes[0]`", "got 5"],
  [[null], TypeError, "`nodes[0]`", "null"],
  [[...NODES, "http://127.0.0.1"], TypeError, "`nodes[1]`", "http:"],
  [["127.0.0.1:6379"], TypeError, "`nodes[0]`"],
  [[{}], TypeError, "`nodes[0]`", "`url`"],
  [[{ url: at(NODES, 0), durable: "yes" }], TypeError, "`nodes[0].durable`", '"yes"'],
];

function expectError(error: unknown, kind: Kind, says: readonly (string | RegExp)[]): void {
  expect(error).to.be.instanceOf(kind);
  // One class each: a RangeError is no TypeError, and neither is one of ours.
  expect((error as Error).name).to.equal(kind.name);
  for (const part of says) {
    if (typeof part === "string") expect((error as Error).message).to.include(part);
    else expect((error as Error).message).to.match(part);
  }
}

function thrownBy(run: () => LockManager): unknown {
  try {
    // One that should not have come about must not keep the test run from ending.
    void run().close();
  } catch (error) {
    return error;
  }
  throw new Error("expected an error to be thrown");
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" || Number.isNaN(item) || item === undefined
      ? String(item)
      : typeof item === "string"
        ? item.slice(0, 30)
        : item,
  ).slice(0, 70);

describe("Bad arguments", () => {
  describe("to the constructor of LockManager are thrown", () => {
    for (const [options, kind, ...says] of MANAGER_OPTIONS) {
      it(shown(options), () => {
        expectError(
          thrownBy(() => new LockManager(NODES, options)),
          kind,
          says,
        );
      });
    }

    for (const [nodes, kind, ...says] of NODE_LISTS) {
      it(`nodes: ${shown(nodes)}`, () => {
        expectError(
          thrownBy(() => new LockManager(nodes as string[])),
          kind,
          says,
        );
      });
    }

    it("null for options", () => {
      const error = thrownBy(() => new LockManager(NODES, null as unknown as object));
      expectError(error, TypeError, ["options"]);
    });
  });

  describe("to acquire, tryAcquire and request are rejections", () => {
    let locks: LockManager;
    before(() => {
      locks = new LockManager(NODES);
    });
    after(() => locks.close());

    const calls = {
      acquire: (name: string, options: object) => locks.acquire(name, options),
      tryAcquire: (name: string, options: object) => locks.tryAcquire(name, options),
      request: (name: string, options: object) =>
        locks.request(name, options, () => expect.fail("must not run")),
    };

    for (const [options, kind, ...says] of ACQUIRE_OPTIONS) {
      it(shown(options), async () => {
        for (const call of Object.values(calls)) {
          expectError(await rejectionOf(call("name", options)), kind, says);
        }
      });
    }

    for (const [name, kind, ...says] of NAMES) {
      it(`name: ${shown(name ?? String(name))}`, async () => {
        for (const call of Object.values(calls)) {
          expectError(await rejectionOf(call(name as string, {})), kind, says);
        }
      });
    }

    it("no callback, or none that can be called", async () => {
      for (const callback of [undefined, "callback", {}]) {
        const requested = locks.request("name", {}, callback as unknown as () => void);
        expectError(await rejectionOf(requested), TypeError, ["`callback`"]);
      }
    });
  });

  it("options that several names cannot have", async () => {
    await using locks = new LockManager(NODES);
    await using hashes = new LockManager(NODES, { layout: "redisson" });
    for (const [asked, options, option] of [
      [locks, { owner: "job" }, "`owner`"],
      [hashes, {}, "`layout`"],
      [locks, { mode: "shared" }, "`mode`"],
    ] as const) {
      const error = await rejectionOf(asked.acquire(["a", "b"], options));
      expectError(error, RangeError, [option, "several names"]);
    }
  });

  it("a mode that a layout cannot have", async () => {
    await using locks = new LockManager(NODES, { layout: "redisson" });
    const error = await rejectionOf(locks.acquire("name", { mode: "shared" }));
    expectError(error, RangeError, ["`mode`", '"redisson"']);
  });

  describe("that belong elsewhere are told as such, and where that is:", () => {
    let locks: LockManager;
    before(() => {
      locks = new LockManager(NODES);
    });
    after(() => locks.close());

    const never = (): never => expect.fail("must not run");
    const semaphore = () => locks.semaphore("name", { permits: 2 });
    const ASKS: readonly [string, Place, (given: object) => unknown][] = [
      ["new LockManager", "manager", (given) => new LockManager(NODES, given).close()],
      ["acquire", "acquire", (given) => locks.acquire("name", given)],
      ["tryAcquire", "acquire", (given) => locks.tryAcquire("name", given)],
      ["request", "request", (given) => locks.request("name", given, never)],
      ["elect", "elect", (given) => locks.elect("name", given)],
      ["semaphore", "semaphore", (given) => locks.semaphore("name", { permits: 2, ...given })],
      ["acquire of a permit", "permit", (given) => semaphore().acquire(given)],
      ["tryAcquire of a permit", "permit", (given) => semaphore().tryAcquire(given)],
      ["request of a permit", "permit", (given) => semaphore().request(given, never)],
      ["adopt", "adopt", (given) => locks.adopt(GIVEN, given)],
    ];
    for (const [title, place, ask] of ASKS) {
      const known = optionsOf(place);
      for (const name of OPTION_NAMES.filter((each) => !known.includes(each))) {
        it(`\`${name}\` of ${title}`, async () => {
          const error = await rejectionOf((async () => ask({ [name]: 1 }))());
          expectError(error, TypeError, [`\`${name}\``, /one of|does not apply/]);
        });
      }
    }
  });

  it("a name that would be one of the keys of the library itself", async () => {
    await using locks = new LockManager(NODES, { keyPrefix: "" });
    const error = await rejectionOf(locks.acquire("quorate:incarnation"));
    expectError(error, RangeError, ["`name`", "reserved"]);
  });
});

describe("Good arguments", () => {
  it("at the edge of what is allowed are taken", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using locks = new LockManager(fleet.urls, {
      ttlMs: 60_000,
      nodeTimeoutMs: 5_000,
      waitMs: Number.POSITIVE_INFINITY,
      retry: { minDelayMs: 1, maxDelayMs: 1 },
      driftFactor: 0,
      lossGraceMs: 0,
    });
    const names = ["x", "y".repeat(1_024), "ü", "a b\r\n", "{tag}x", "a}b", "{}", "\u0000"];
    for (const name of names) {
      const lock = await locks.acquire(name, { label: "", waitMs: 20_000 });
      expect(lock.name).to.equal(name);
      expect(ownerIdOf(lock)).to.match(/^60000~[\w-]{22}\.[\w-]{8}$/);
      expect(await lock.release()).to.equal("released");
    }
    const short = await locks.acquire("short", { ttlMs: 100, waitMs: 20_000 });
    await short.release();
    const undefineds = { ttlMs: undefined, signal: undefined, renew: undefined, waitMs: undefined };
    await (await locks.acquire("undefined", undefineds)).release();
  });

  it("are what the documentation says by default", () => {
    expect(DEFAULTS).to.include({ ttlMs: 10_000, waitMs: 30_000, keyPrefix: "lock:" });
    expect(Object.isFrozen(DEFAULTS)).to.equal(true);
  });
});
