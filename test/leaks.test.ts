import { EventEmitter } from "node:events";
import { expect } from "chai";
import { Redis } from "ioredis";
import { LockManager } from "../src/index.js";
import Redlock from "../src/integrations/redlock/index.js";
import { RedisFleet } from "../src/testing/index.js";
import { forget, leftovers, openManagers, timersLeft } from "./support/leaks/resources.js";
import { at } from "./support/nodes.js";
import { eventually } from "./support/settle.js";

/** What the hooks behind each test look for, seen while it is rightly there. */
describe("What tests may not leave behind", () => {
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 1 });
  });
  after(() => fleet.stop());

  it("is nothing where everything has ended", async () => {
    const { signal } = new AbortController();
    const locks = new LockManager(fleet.urls);
    await (await locks.acquire("name", { signal })).release();
    expect([...openManagers().keys()]).to.include(locks);
    await locks.close();
    expect([...openManagers().keys()]).not.to.include(locks);
    expect(timersLeft()).to.deep.equal([]);
    await eventually("the connection has ended", () => leftovers().length === 0);
  });

  it("is a listener to a signal of the caller's", async () => {
    const controller = new AbortController();
    await using locks = new LockManager(["redis://127.0.0.1:1"]);
    const calls = [
      locks.acquire("name", { signal: controller.signal }),
      locks.ready({ signal: controller.signal }),
    ].map((call) => call.catch(() => {}));
    const found = leftovers().map((text) => text.split(", added at ")[0]);
    expect(found).to.have.members([
      'a listener to "abort" of a signal that the caller gave',
      'a listener to "abort" of a signal that the caller gave',
    ]);
    controller.abort();
    await Promise.all(calls);
    expect(leftovers()).to.deep.equal([]);
  });

  it("is no listener of a test's own", async () => {
    const controller = new AbortController();
    controller.signal.addEventListener("abort", () => {});
    await using locks = new LockManager(fleet.urls);
    locks.on("node", () => {});
    await locks.ready();
    expect(leftovers()).to.deep.equal([]);
  });

  it("is a connection, and a timer, when no manager is open", async () => {
    const locks = new LockManager(fleet.urls, { lossGraceMs: 5_000 });
    let end = (): void => {};
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    const isRunning = new EventEmitter();
    const request = locks.request("name", async () => {
      isRunning.emit("yes");
      await isOver;
    });
    await new Promise((resolve) => void isRunning.once("yes", resolve));
    await locks.close();
    expect(leftovers().join()).to.include("a connection (");
    expect(timersLeft().join()).to.match(/^a timer, set at src\/manager\/grace-timers\.js:\d+$/);
    end();
    await request.catch(() => {});
    expect(timersLeft()).to.deep.equal([]);
  });

  it("is a listener to a client that has ended", async () => {
    const client = new Redis(at(fleet.urls, 0));
    await (await new Redlock([client]).acquire(["name"], 5_000)).release();
    expect(leftovers()).to.deep.equal([]);
    Object.assign(client, { off: () => client });
    client.disconnect();
    const found = 'a listener to "end" of a client that the caller gave';
    await eventually("it is found", () => leftovers().join().includes(found));
    client.removeAllListeners();
    await eventually("it is gone", () => leftovers().length === 0);
  });

  it("is told once", async () => {
    const controller = new AbortController();
    await using locks = new LockManager(["redis://127.0.0.1:1"]);
    const call = locks.acquire("name", { signal: controller.signal }).catch(() => {});
    expect(leftovers()).to.have.length(1);
    forget();
    expect(leftovers()).to.deep.equal([]);
    controller.abort();
    await call;
  });
});
