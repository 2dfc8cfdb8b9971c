import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  LockHeldError,
  type AcquireOptions,
  type Lock,
  type LockManager,
} from "../../src/index.js";
import { ALL_PLACES, quorumAt } from "../support/quorums.js";
import { eventually, rejectionOf } from "../support/settle.js";

const NAME = "report";

interface Kind {
  readonly title: string;
  readonly hold: (locks: LockManager) => Promise<Lock>;
  /** One that has to wait. */
  readonly ask: (locks: LockManager, options: AcquireOptions) => Promise<Lock>;
}

const plain: Kind["hold"] = (locks) => locks.acquire(NAME);

const KINDS: readonly Kind[] = [
  { title: "a plain lock", hold: plain, ask: (locks, options) => locks.acquire(NAME, options) },
  {
    title: "a reader",
    hold: plain,
    ask: (locks, options) => locks.acquire(NAME, { ...options, mode: "shared" }),
  },
  {
    title: "a permit",
    hold: (locks) => locks.semaphore(NAME, { permits: 1 }).acquire(),
    ask: (locks, options) => locks.semaphore(NAME, { permits: 1 }).acquire(options),
  },
  {
    title: "a set of names",
    hold: plain,
    ask: (locks, options) => locks.acquire([NAME, "summary"], options),
  },
  {
    title: "an owner",
    hold: plain,
    ask: (locks, options) => locks.acquire(NAME, { ...options, owner: "job" }),
  },
];

for (const place of ALL_PLACES) {
  describe(`\`maxWaiters\` ${place.title}`, () => {
    const { manager } = quorumAt(place);
    let holding: LockManager;
    let one: LockManager;
    let other: LockManager;

    beforeEach(async () => {
      const open = (): LockManager => manager({ ttlMs: 2_000 });
      [holding, one, other] = [open(), open(), open()];
      await Promise.all([holding, one, other].map((locks) => locks.ready()));
    });

    /** So many are in the nodes' queues. */
    const untilWaiting = (count: number): Promise<void> =>
      eventually(`${count} wait`, async () => {
        const { waitingCount } = await holding.inspect(NAME);
        return waitingCount === count;
      });

    for (const { title, hold, ask } of KINDS) {
      it(`refuses ${title} where as many wait, at once and with both numbers`, async () => {
        const lock = await hold(holding);
        const waiting = ask(one, { waitMs: 20_000 });
        await untilWaiting(1);
        const startedMs = performance.now();
        const error = await rejectionOf(ask(other, { waitMs: 20_000, maxWaiters: 1 }));
        expect(performance.now() - startedMs).to.be.below(1_000);
        expect(error).to.be.instanceOf(LockHeldError);
        expect(error).to.include({ code: "QUORATE_QUEUE_FULL", waitingCount: 1, maxWaiters: 1 });
        expect(String(error)).to.include("1 wait for").and.to.include("`maxWaiters` is 1");
        // With room for one more it waits.
        const behind = ask(other, { waitMs: 20_000, maxWaiters: 2 });
        await lock.release();
        await Promise.all([waiting, behind].map(async (each) => (await each).release()));
      });
    }

    it("grants a free name, however few may wait", async () => {
      await (await one.acquire(NAME, { maxWaiters: 0 })).release();
      const lock = await holding.acquire(NAME);
      const error = await rejectionOf(one.acquire(NAME, { maxWaiters: 0 }));
      expect(error).to.include({ code: "QUORATE_QUEUE_FULL", waitingCount: 0 });
      await lock.release();
      // It was contended, and is free now.
      await (await one.acquire(NAME, { maxWaiters: 0 })).release();
    });

    for (const fair of [false, true]) {
      it(`counts each waiter of its own process${fair ? ", where it is fair without asking" : ""}`, async () => {
        const lock = await holding.acquire(NAME);
        const asks = (): Promise<Lock> =>
          one.acquire(NAME, { waitMs: 20_000, maxWaiters: 3, fair });
        const all = Array.from({ length: 10 }, async (_, at) => {
          await sleep(at);
          return asks();
        });
        const settled = Promise.allSettled(all);
        await untilWaiting(1);
        const error = await rejectionOf(asks());
        expect(error).to.include({ code: "QUORATE_QUEUE_FULL", waitingCount: 3 });
        await lock.release();
        let grantedCount = 0;
        for (const each of all) {
          const got = await each.catch(() => undefined);
          if (got !== undefined) grantedCount++;
          await got?.release();
        }
        await settled;
        expect(grantedCount).to.equal(3);
      });
    }

    it("is null where `tryAcquire` waits", async () => {
      const lock = await holding.acquire(NAME);
      const waiting = one.acquire(NAME);
      await untilWaiting(1);
      expect(await other.tryAcquire(NAME, { waitMs: 20_000, maxWaiters: 1 })).to.equal(null);
      await lock.release();
      await (await waiting).release();
    });

    it("is no limit to candidates of an election", async () => {
      const waiting = manager({ maxWaiters: 0 });
      const lock = await holding.acquire(NAME);
      const election = waiting.elect(NAME);
      const term = election.next();
      await untilWaiting(1);
      await lock.release();
      expect((await term).value?.isHeld).to.equal(true);
      await election.return();
    });
  });
}
