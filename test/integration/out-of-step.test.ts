import { expect } from "chai";
import { LockManager, type Lock } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { setTimeout as sleep } from "node:timers/promises";
import { howMany } from "../support/long.js";
import { MixingProxies } from "../support/mixing-proxy.js";

const ROUND_COUNT = howMany(100, 2_000);
const MOST_ROUNDS = 5 * ROUND_COUNT;

describe(`${ROUND_COUNT} rounds behind proxies that mix up replies`, function () {
  this.timeout(600_000);

  it("let nobody hold a lock beside its holder (S1), and warn with a remedy", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using one = await MixingProxies.start(fleet);
    await using two = await MixingProxies.start(fleet);
    const options = { ttlMs: 5_000, maxTtlMs: 5_000, nodeTimeoutMs: 250 };
    await using first = new LockManager(one.urls, options);
    await using second = new LockManager(two.urls, options);
    const managers = [first, second];
    const codes = new Set<string>();
    for (const locks of managers) locks.on("warning", ({ code }) => codes.add(code));
    let [bothCount, heldCount] = [0, 0];
    const overtakenCount = (): number => one.overtakenCount + two.overtakenCount;
    // On a busy machine, more replies come together, which cannot overtake each other.
    const isEnough = (round: number): boolean =>
      round >= MOST_ROUNDS || (round >= ROUND_COUNT && overtakenCount() > ROUND_COUNT / 4);
    for (let round = 0; !isEnough(round); round++) {
      const held = await Promise.all(managers.map((locks, client) => play(locks, client, round)));
      // None has been let go: whoever counts as a holder holds it now.
      const [names, others] = held.map((locks) => locks.filter(isHeld).map(({ name }) => name));
      if (names?.some((name) => others?.includes(name))) bothCount++;
      if ([names, others].flat().length > 0) heldCount++;
      await Promise.all(held.flat().map(async (lock) => lock?.release()));
    }
    expect(bothCount, "rounds with two holders").to.equal(0);
    expect(overtakenCount()).to.be.above(ROUND_COUNT / 4);
    expect(heldCount).to.be.above(ROUND_COUNT / 10);
    expect([...codes]).to.include("QUORATE_REPLIES_OUT_OF_STEP");
  });
});

/** Wants the names of the round, while replies to other operations come on the same connections. */
async function play(locks: LockManager, client: number, round: number): Promise<(Lock | null)[]> {
  const attempt = async (name: string): Promise<Lock | null> => {
    await sleep(8 * Math.random());
    return locks.tryAcquire(name).catch(() => null);
  };
  const beside = Array.from({ length: 12 }, async (_, n) => {
    const lock = await attempt(`beside-${client}-${n}`);
    await lock?.release();
  });
  const held = await Promise.all(
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => attempt(`name-${round}-${n}`)),
  );
  await Promise.all(beside);
  return held;
}

function isHeld(lock: Lock | null): lock is Lock {
  return lock?.isHeld === true;
}
