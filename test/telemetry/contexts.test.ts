import { AsyncLocalStorage, createHook } from "node:async_hooks";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { CHANNELS } from "../../src/telemetry/channels.js";
import { at } from "../support/nodes.js";
import { eventually } from "../support/settle.js";

/** What is of connections and timers, and outlives a call or serves others. */
const LASTING =
  /^(?:TCP|PIPE|TLS|WRITEWRAP|SHUTDOWNWRAP|GETADDRINFO|DNS|Timeout|Immediate|TickObject)/i;

describe("The async context of a caller", () => {
  it("is in no connection, batch or timer of a lock manager that others use, too", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const storage = new AsyncLocalStorage<string>();
    const carried: string[] = [];
    let made = 0;
    const hook = createHook({
      init: (_, type) => {
        if (!LASTING.test(type)) return;
        made++;
        const store = storage.getStore();
        if (store !== undefined) carried.push(`${store} ${type}`);
      },
    });
    hook.enable();
    try {
      const options = { ttlMs: 6_000, nodeTimeoutMs: 2_000 };
      const locks = storage.run("manager", () => new LockManager(fleet.urls, options));
      const told: [string, string | undefined][] = [];
      for (const event of ["node", "lost", "late"] as const) {
        locks.on(event, () => told.push([event, storage.getStore()]));
      }
      await storage.run("caller", async () => {
        const names = Array.from({ length: 40 }, (_, index) => `name:${index}`);
        const all = await Promise.all(names.map((name) => locks.acquire(name)));
        expect(storage.getStore()).to.equal("caller");
        const ends = all.map(({ validUntil }) => validUntil.getTime());
        await eventually("they are renewed", () =>
          all.every(({ validUntil }, index) => validUntil.getTime() > at(ends, index) + 500),
        );
        await Promise.all(all.map((lock) => lock.release()));
        await locks.acquire("lost", { maxHoldMs: 30 });
        await eventually("one is lost", () => told.some(([event]) => event === "lost"));
      });
      await locks.close();
      expect(made).to.be.above(20);
      // Those of the test itself, which waits in the caller's context by timers.
      const ours = carried.filter(
        (text) => text !== "caller Timeout" && !text.endsWith("TickObject"),
      );
      expect(ours).to.deep.equal([]);
      expect(new Set(told.map(([, store]) => store))).to.deep.equal(new Set([undefined]));
    } finally {
      hook.disable();
    }
  });

  it("is the callback's, with the stores that are bound to the channel", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using locks = new LockManager(fleet.urls);
    const [storage, bound] = [new AsyncLocalStorage<string>(), new AsyncLocalStorage<string>()];
    CHANNELS.request.start.bindStore(bound, ({ name }) => `request of ${name}`);
    try {
      const seen = await storage.run("caller", () =>
        locks.request("a", async () => {
          await locks.inspect("a");
          return [storage.getStore(), bound.getStore()];
        }),
      );
      expect(seen).to.deep.equal(["caller", "request of a"]);
      expect(bound.getStore()).to.equal(undefined);
    } finally {
      CHANNELS.request.start.unbindStore(bound);
    }
  });
});
