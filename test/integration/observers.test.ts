import { expect } from "chai";
import type { LockManager, ObservedHolder } from "../../src/index.js";
import { WATCH_POLL_MS } from "../../src/protocol/watching.js";
import { allNodes } from "../support/nodes.js";
import { PLACES, quorumAt } from "../support/quorums.js";

type Observer = AsyncIterator<ObservedHolder | null>;

async function next(observer: Observer): Promise<ObservedHolder | null | undefined> {
  const { value } = await observer.next();
  return value;
}

for (const place of PLACES) {
  describe(`Observers ${place.title}`, () => {
    const { manager } = quorumAt(place);

    const ready = async (label: string): Promise<LockManager> => {
      const locks = manager({ label });
      await (place.deadCount === 0 ? allNodes(locks) : locks.ready());
      return locks;
    };

    it("are told of each holder, and do not wait until they ask again", async () => {
      const [locks, ...observing] = await Promise.all(["holder", "one", "other"].map(ready));
      const observers = observing.map((each) => each.observe("name"));
      for (const observer of observers) expect(await next(observer)).to.equal(null);
      const tookMs: number[] = [];
      const seen = async (label: string | undefined): Promise<void> => {
        const startedMs = performance.now();
        for (const observer of observers) {
          let holder = await next(observer);
          // What was shown late is shown as well.
          while (holder?.label !== label) holder = await next(observer);
        }
        tookMs.push(performance.now() - startedMs);
      };
      for (let round = 0; round < 5; round++) {
        const lock = await (locks as LockManager).acquire("name");
        await seen("holder");
        await lock.release();
        await seen(undefined);
      }
      // Whoever only asks sees the next change just before it asks again.
      expect(tookMs.toSorted((a, b) => a - b)[5]).to.be.below(WATCH_POLL_MS / 2);
      for (const observer of observers) await observer.return?.();
    });

    it("see what a leader proclaims, its end, and its successor", async () => {
      const [first, second, observing] = (await Promise.all(
        ["first", "second", "observer"].map(ready),
      )) as [LockManager, LockManager, LockManager];
      const [leading, waiting] = [first, second].map((locks, at) =>
        locks.elect("name", { value: `10.0.0.${at}:80` }),
      );
      const shows = async (observer: Observer, value: string | undefined): Promise<void> => {
        while ((await next(observer))?.value !== value);
      };
      const observer = observing.observe("name");
      const term = (await leading?.next())?.value;
      await shows(observer, "10.0.0.0:80");
      await term?.proclaim("10.0.0.9:80");
      await shows(observer, "10.0.0.9:80");
      const succeeded = waiting?.next();
      await first.close();
      await succeeded;
      await shows(observer, "10.0.0.1:80");
      await observer.return?.();
      await waiting?.return();
    });
  });
}
