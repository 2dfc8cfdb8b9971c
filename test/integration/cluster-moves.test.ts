import { setTimeout as sleep } from "node:timers/promises";
import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { Cluster } from "ioredis";
import { LockManager, type Lock, type LockManagerOptions } from "../../src/index.js";
import type { RedisProcess } from "../../src/testing/index.js";
import { beginMove, keysInSlot, startPair, type SlotMove } from "../support/cluster.js";
import { noLockKeys } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionOf } from "../support/settle.js";

/** Nothing is renewed meanwhile. */
const OPTIONS: LockManagerOptions = { ...PATIENT, ttlMs: 60_000, waitMs: 0 };

type Take = (
  locks: LockManager,
  name: string,
) => Promise<Pick<Lock, "extend" | "release" | "isHeld">>;

const exclusive: Take = (locks, name) => locks.acquire(name);

/** Locks whose holders stand beside the lock key. */
const KINDS: readonly { readonly what: string; readonly take: Take; readonly isAlone?: true }[] = [
  {
    what: "a permit",
    take: (locks, name) => locks.semaphore(name, { permits: 1 }).acquire(),
    isAlone: true,
  },
  { what: "a shared lock", take: (locks, name) => locks.acquire(name, { mode: "shared" }) },
  { what: "an owner's lock", take: (locks, name) => locks.acquire(name, { owner: "job" }) },
];

/** The lock key and the fences, without which no member executes anything, come first or last. */
const ORDERS: readonly (readonly [what: string, isLockFirst: boolean])[] = [
  ["before what stands beside it", true],
  ["after what stands beside it", false],
];

async function failureOf(promise: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  const { code, message } = (await rejectionOf(promise)) as Error & { readonly code?: unknown };
  return { code, message };
}

describe("A hash slot that is moved key by key", () => {
  let from: RedisProcess;
  let to: RedisProcess;
  let ours: LockManager;
  let theirs: LockManager;
  let slot: number;
  let name: string;
  let count = 0;

  function manager(over: LockManagerOptions = {}): LockManager {
    const cluster = new Cluster([{ host: "127.0.0.1", port: from.port }], { lazyConnect: true });
    const locks = new LockManager([cluster], { ...OPTIONS, ...over });
    locks.on("warning", () => {});
    return locks;
  }

  before(async () => {
    [from, to] = await startPair();
    [ours, theirs] = [manager(), manager()];
    await Promise.all([ours.ready(), theirs.ready()]);
  });
  beforeEach(() => {
    name = `moved ${++count}`;
    slot = keySlot(`lock:${name}`);
  });
  after(async () => {
    await Promise.all([ours, theirs].map((locks) => locks?.close()));
    await Promise.all([from, to].map((server) => server?.stop()));
  });

  /** Its keys, on the one or the other. */
  async function allKeys(): Promise<readonly string[]> {
    const all = await Promise.all([from, to].map((server) => keysInSlot(slot, server)));
    return all.flat().toSorted();
  }

  async function inOrder(isLockFirst: boolean): Promise<readonly string[]> {
    const isNeeded = (key: string): boolean => /^(?:lock|quorate:fences):/.test(key);
    const keys = await keysInSlot(slot, from);
    const [needed, beside] = [keys.filter(isNeeded), keys.filter((key) => !isNeeded(key))];
    expect([needed.length, beside.length > 0]).to.deep.equal([2, true]);
    return isLockFirst ? [...needed, ...beside] : [...beside, ...needed];
  }

  async function begin(): Promise<SlotMove> {
    return await beginMove(slot, from, to);
  }

  for (const { what, take, isAlone = false } of KINDS) {
    for (const [order, isLockFirst] of ORDERS) {
      it(`lets nobody in beside ${what}, whose lock key is moved ${order}`, async () => {
        // The fences are there.
        await (await exclusive(ours, name)).release();
        const held = await take(ours, name);
        const all = await allKeys();
        const move = await begin();
        const ask = async (): Promise<void> => {
          for (const asked of [() => take(theirs, name), () => held.extend()]) {
            const { code, message } = await failureOf(asked());
            expect(code).to.equal("QUORATE_UNREACHABLE");
            expect(message).to.include("its hash slot is being moved (TRYAGAIN)");
          }
          const { code } = await failureOf(exclusive(theirs, name));
          expect(code).to.be.oneOf(["QUORATE_UNREACHABLE", "QUORATE_CONTENDED"]);
          expect(held.isHeld).to.equal(true);
          // Nothing that would come in the way of a key, or be overwritten by it.
          expect(await allKeys()).to.deep.equal(all);
        };
        await ask();
        for (const key of await inOrder(isLockFirst)) {
          await move.migrate(key);
          await ask();
        }
        await move.end();

        await held.extend();
        const isHeld = async (by: Take): Promise<void> => {
          const { code } = await failureOf(by(theirs, name));
          expect(code).to.equal("QUORATE_CONTENDED");
        };
        await isHeld(exclusive);
        if (isAlone) await isHeld(take);
        else await (await take(theirs, name)).release();
        await isHeld(exclusive);
        expect(await held.release()).to.equal("released");
        expect(await (await exclusive(theirs, name)).release()).to.equal("released");
      });
    }

    it(`is owed the release of ${what}, and lets in who waits, once it has moved`, async () => {
      await (await exclusive(ours, name)).release();
      const held = await take(ours, name);
      const all = await allKeys();
      const [lockKey = "", fences = "", ...beside] = await inOrder(true);
      const move = await begin();
      await move.migrate(lockKey, fences);
      const waiting = theirs.acquire(name, { waitMs: 60_000 });
      expect(await held.release()).to.equal("partial");
      await sleep(100);
      expect(await allKeys()).to.deep.equal(all);
      await move.migrate(...beside);
      await move.end();
      expect(await (await waiting).release()).to.equal("released");
      await noLockKeys([to]);
    });
  }

  it("takes no exclusive lock from its holder, and renews it where its lock key is", async () => {
    const held = await exclusive(ours, name);
    const move = await begin();
    const isRenewed = async (): Promise<void> => {
      await held.extend();
      const { code } = await failureOf(exclusive(theirs, name));
      expect(code).to.equal("QUORATE_CONTENDED");
    };
    await isRenewed();
    await move.migrate(...(await allKeys()));
    await isRenewed();
    expect(await held.release()).to.equal("released");
    // Neither member has all keys of a name that is free.
    const { code } = await failureOf(exclusive(theirs, name));
    expect(code).to.equal("QUORATE_UNREACHABLE");
    await move.end();
    await (await exclusive(theirs, name)).release();
  });

  it("ends no lock as overdue whose longer extension is still on the other member", async () => {
    const times = { ttlMs: 1_500, clockStepMs: 100 };
    await using waiter = manager(times);
    await using holder = manager(times);
    const held = await holder.acquire(name, { renew: false });
    await held.extend(60_000);
    const [lockKey = "", fences = "", ...beside] = await inOrder(true);
    const move = await begin();
    await move.migrate(lockKey, fences);
    let isGranted = false;
    const waiting = waiter.acquire(name, { waitMs: 60_000 }).finally(() => (isGranted = true));
    // More than twice as long as it would be kept without the extension.
    await sleep(4_000);
    await move.migrate(...beside);
    await move.end();
    await eventually("it waits, or has it", async () => {
      const keys = await keysInSlot(slot, to);
      return isGranted || keys.some((key) => key.startsWith("quorate:queue"));
    });
    expect(isGranted).to.equal(false);
    await held.extend(60_000);
    await held.release();
    await (await waiting).release();
  });
});
