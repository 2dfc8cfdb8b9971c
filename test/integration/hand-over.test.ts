import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockManager, type AcquireOptions, type LockManagerOptions } from "../../src/index.js";
import { MAX_PASS_ONS } from "../../src/protocol/pass-on-run.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, noLockKeys, queueSize } from "../support/nodes.js";
import { eventually } from "../support/settle.js";

/** A turn of 100 ms, and whoever is not woken looks far too late. */
const PATIENT: LockManagerOptions = {
  ttlMs: 60_000,
  waitMs: 60_000,
  nodeTimeoutMs: 5_000,
  retry: { minDelayMs: 1, maxDelayMs: 60_000 },
};

describe("A lock that goes from hand to hand", () => {
  let fleet: RedisFleet;
  const managers: LockManager[] = [];

  async function manager(): Promise<LockManager> {
    const locks = new LockManager(fleet.urls, PATIENT);
    managers.push(locks);
    await allNodes(locks);
    return locks;
  }

  /** Script calls that the first node has had. */
  async function callCount(): Promise<number> {
    const stats = String(await at(fleet.nodes, 0).command("INFO", "commandstats"));
    const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)];
    return calls.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** One after the other has the lock; they stand in line before it is released for the first time. */
  async function chain(
    locks: LockManager,
    count: number,
    optionsOf: (n: number) => AcquireOptions = () => ({}),
    onTurn: (n: number) => Promise<void> = async () => {},
  ): Promise<number[]> {
    const tokens: number[] = [];
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const lock = await locks.acquire("name", optionsOf(n));
        tokens.push(lock.fencingToken);
        await onTurn(n);
        expect(lock.isHeld).to.equal(true);
        const released = lock.release();
        expect(lock.isHeld).to.equal(false);
        expect(await released).to.equal("released");
      }),
    );
    return tokens;
  }

  function expectGrowing(tokens: readonly number[]): void {
    tokens.slice(1).forEach((token, n) => expect(token).to.be.above(at(tokens, n)));
  }

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });

  afterEach(async () => {
    await Promise.all(managers.splice(0).map((locks) => locks.close()));
    await fleet.stop();
  });

  it("costs one script call a node each time, and its tokens grow", async () => {
    const locks = await manager();
    await chain(locks, 10);
    const before = await callCount();
    const tokens = await chain(locks, 40);
    expect(tokens).to.have.length(40);
    expectGrowing(tokens);
    // Those who come ask once before they wait; a lock that is not handed over costs one more each.
    expect(await callCount()).to.be.below(before + 40 + 20);
    await noLockKeys(fleet.nodes);
  });

  it("may have another label and ttl each time", async () => {
    const locks = await manager();
    const tokens = await chain(locks, 24, (n) => ({
      ttlMs: 30_000 + (n % 3),
      label: n % 2 === 0 ? `é ${n}` : "",
    }));
    expect(tokens).to.have.length(24);
    expectGrowing(tokens);
    await noLockKeys(fleet.nodes);
  });

  it("goes on while a node dies, and leaves nothing on it", async () => {
    const locks = await manager();
    const tokens = await chain(
      locks,
      30,
      () => ({}),
      async (n) => {
        if (n === 10) await at(fleet.nodes, 2).kill();
        if (n === 20) await at(fleet.nodes, 2).restart();
        await sleep(1);
      },
    );
    expect(tokens).to.have.length(30);
    expectGrowing(tokens);
    await noLockKeys(fleet.nodes);
  });

  it("is had by another process within the bound, though its line never ends", async () => {
    const [a, b] = [await manager(), await manager()];
    const workerCount = 8;
    const end = new AbortController();
    let grantCount = 0;
    const work = async (): Promise<void> => {
      while (!end.signal.aborted) {
        await a.request("name", async () => {
          grantCount++;
          await sleep(1);
        });
      }
    };
    const workers = Array.from({ length: workerCount }, work);
    await eventually("a chain", () => grantCount > 3 * MAX_PASS_ONS);
    for (let round = 0; round < 10; round++) {
      let isHad = false;
      const waiting = b.acquire("name").finally(() => {
        isHad = true;
      });
      await eventually("b is in the queue of a quorum", async () => {
        const all = await Promise.all(fleet.nodes.map((node) => queueSize(node, "name")));
        return isHad || all.filter((size) => size > 0).length > 1;
      });
      const before = grantCount;
      const lock = await waiting;
      // Who was in line before it, and those to whom they handed over.
      expect(grantCount - before).to.be.at.most(workerCount + MAX_PASS_ONS);
      await lock.release();
    }
    end.abort();
    await Promise.all(workers);
    await noLockKeys(fleet.nodes);
  });
});
