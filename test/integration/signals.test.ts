import { getEventListeners } from "node:events";
import { expect } from "chai";
import { ALL_PLACES, quorumAt } from "../support/quorums.js";
import type { LockManager } from "../../src/index.js";

/** Calls with a signal, each of which ends without having been called off. */
const CALLS: Readonly<Record<string, (locks: LockManager, signal: AbortSignal) => Promise<void>>> =
  {
    ready: (locks, signal) => locks.ready({ signal }),
    acquire: async (locks, signal) => {
      await (await locks.acquire("name", { signal })).release();
    },
    "acquire that waits": async (locks, signal) => {
      const held = await locks.acquire("name");
      const waiting = locks.acquire("name", { signal });
      await held.release();
      await (await waiting).release();
    },
    "acquire in vain": async (locks, signal) => {
      await using held = await locks.acquire("name");
      held.assertHeld();
      await locks.acquire("name", { signal, waitMs: 20 }).catch(() => {});
    },
    tryAcquire: async (locks, signal) => {
      await (await locks.tryAcquire("name", { signal }))?.release();
    },
    request: (locks, signal) => locks.request("name", { signal }, () => {}),
    "semaphore.acquire": async (locks, signal) => {
      await (await locks.semaphore("permits", { permits: 2 }).acquire({ signal })).release();
    },
    adopt: async (locks, signal) => {
      const given = (await locks.acquire("name")).handOver();
      await (await locks.adopt(given, { signal })).release();
    },
    "adopt in vain": async (locks, signal) => {
      const lock = await locks.acquire("name");
      const given = lock.handOver();
      await (await locks.adopt(given)).release();
      await locks.adopt(given, { signal }).catch(() => {});
    },
    elect: async (locks, signal) => {
      let count = 0;
      for await (const term of locks.elect("name", { signal })) {
        term.assertHeld();
        if (++count === 2) break;
      }
    },
  };

for (const place of ALL_PLACES) {
  describe(`A signal that is never aborted ${place.title}`, () => {
    const quorum = quorumAt(place);

    for (const [what, call] of Object.entries(CALLS)) {
      it(`is let go of when the call ends: ${what}`, async () => {
        const locks = quorum.manager();
        const { signal } = new AbortController();
        for (let times = 0; times < 2; times++) await call(locks, signal);
        expect(getEventListeners(signal, "abort")).to.deep.equal([]);
        expect((await locks.query()).pending).to.deep.equal([]);
        expect(locks.listenerCount("node")).to.equal(0);
      });
    }
  });
}
