import { expect } from "chai";
import { Redis } from "ioredis";
import { LockContendedError } from "../../src/api/errors.js";
import { MixedLayoutError } from "../../src/api/node-errors.js";
import {
  ForeignKeyError,
  LockManager,
  type AcquireOptions,
  type Lock,
  type LockLayout,
} from "../../src/index.js";
import { LOCK_LAYOUTS } from "../../src/protocol/lock-layout.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { rejectionOf } from "../support/settle.js";

/** Every way in which a lock can lie on the nodes, and the layout that it counts as. */
const WAYS: readonly {
  readonly title: string;
  readonly names?: readonly string[];
  readonly options?: AcquireOptions;
  readonly layout: LockLayout;
}[] = [
  { title: "a plain lock", layout: "redlock" },
  { title: "a reader", options: { mode: "shared" }, layout: "redlock" },
  { title: "a set that begins with it", names: ["name", "other"], layout: "redlock" },
  { title: "a set that ends with it", names: ["all", "name"], layout: "redlock" },
  { title: "an owner's lock", options: { owner: "job" }, layout: "redlock" },
  { title: "a lock as Redisson's", layout: "redisson" },
  { title: "a timestamp", layout: "timestamp" },
  { title: "a timestamp in seconds", layout: "timestamp-seconds" },
];

/** What may stand in a lock key and is no lock of ours, as commands of Redis. */
const OTHERS: readonly { readonly command: readonly string[]; readonly found: string }[] = [
  { command: ["SET", "lock:name", "data"], found: "string without expiry" },
  { command: ["HSET", "lock:name", "field", "data"], found: "hash" },
  { command: ["RPUSH", "lock:name", "data"], found: "list" },
  { command: ["SADD", "lock:name", "data"], found: "set" },
];

const ofName = ({ names = ["name"] }: (typeof WAYS)[number]): string | string[] => {
  return names.length === 1 ? at(names, 0) : [...names];
};

describe("Locks of different layouts on one name", () => {
  let fleet: RedisFleet;
  let redis: Redis;
  let managers: ReadonlyMap<LockLayout, LockManager>;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 1 });
    redis = new Redis(at(fleet.urls, 0));
    managers = new Map(
      LOCK_LAYOUTS.map((layout) => [layout, new LockManager(fleet.urls, { ...PATIENT, layout })]),
    );
    await Promise.all([...managers.values()].map((locks) => locks.ready()));
  });
  after(async () => {
    redis.disconnect();
    await Promise.all([...managers.values()].map((locks) => locks.close()));
    await fleet.stop();
  });

  afterEach(() => redis.del("lock:name"));

  const locksOf = (layout: LockLayout): LockManager => {
    const locks = managers.get(layout);
    if (locks === undefined) throw new Error(`no manager for ${layout}`);
    return locks;
  };

  const take = (way: (typeof WAYS)[number], more: AcquireOptions = {}): Promise<Lock> => {
    return locksOf(way.layout).acquire(ofName(way), { ...way.options, ...more });
  };

  for (const first of WAYS) {
    for (const second of WAYS) {
      const isMixed = first.layout !== second.layout;
      const outcome = isMixed ? "is an error" : "is contention, or goes side by side";
      it(`${second.title} behind ${first.title} ${outcome}, and touches nothing`, async () => {
        const held = await take(first);
        const before = await redis.dump("lock:name");
        // Where layouts are mixed waiting is of no use: it is told at once.
        const attempt = take(second, { waitMs: isMixed ? 15_000 : 0 });
        const result = await attempt.catch((error: unknown) => error);
        if (isMixed) {
          expect(result).to.be.instanceOf(MixedLayoutError).and.to.include({
            code: "QUORATE_MIXED_LAYOUT",
            key: "lock:name",
            found: first.layout,
            expected: second.layout,
          });
          expect((result as Error).message).to.include(
            `key "lock:name" holds a lock in the layout "${first.layout}", not "${second.layout}"`,
          );
        } else if (result instanceof Error) {
          expect(result).to.be.instanceOf(LockContendedError);
        } else {
          expect(await (result as Lock).release()).to.equal("released");
        }
        if (isMixed) expect(await redis.dump("lock:name")).to.deep.equal(before);
        await held.extend();
        expect(await held.release()).to.equal("released");
        expect(await redis.keys("lock:*")).to.deep.equal([]);
      });
    }
  }

  for (const way of WAYS) {
    for (const { command, found } of OTHERS) {
      it(`${way.title} behind ${command[0]} of data is an error that names it`, async () => {
        const [name = "", ...args] = command;
        await redis.call(name, ...args);
        const before = await redis.dump("lock:name");
        const error = await rejectionOf(take(way, { waitMs: 15_000 }));
        expect(error).to.be.instanceOf(ForeignKeyError).and.not.instanceOf(MixedLayoutError);
        expect(error).to.include({ code: "QUORATE_FOREIGN_KEY", key: "lock:name" });
        // Where a hash could be a lock it is also said why this one is none.
        expect((error as ForeignKeyError).found.replace("hash without expiry", "hash")).to.equal(
          found,
        );
        expect(await redis.dump("lock:name")).to.deep.equal(before);
        expect(await redis.keys("lock:*")).to.deep.equal(["lock:name"]);
      });
    }
  }

  it("is told with waiting, elections and tryAcquire alike", async () => {
    const held = await locksOf("timestamp").acquire("name");
    const locks = locksOf("redlock");
    expect(await rejectionOf(locks.tryAcquire("name"))).to.be.instanceOf(MixedLayoutError);
    expect(await rejectionOf(locks.elect("name").next())).to.be.instanceOf(MixedLayoutError);
    await held.release();
  });
});
