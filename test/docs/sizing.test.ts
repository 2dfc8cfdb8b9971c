import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { Redis } from "ioredis";
import { RedisFence } from "../../src/fencing/index.js";
import { LockManager } from "../../src/index.js";
import { RedisFleet, type RedisProcess } from "../../src/testing/index.js";
import { PATIENT } from "../support/patient.js";
import { eventually } from "../support/settle.js";
import { root } from "./project.js";

/** How many locks and waiters are measured: enough that what they share does not count. */
const COUNT = 200;

const page = readFileSync(join(root, "docs", "operate", "sizing.md"), "utf8");

/** What the page says about a thing, in bytes. */
function stated(about: string): number {
  const row = page.split("\n").find((line) => line.startsWith(`| ${about}`)) ?? "";
  const [, number = "", unit = ""] = /\| ([\d,]+) (bytes|MB) \|/.exec(row) ?? [];
  return Number(number.replace(",", "")) * (unit === "MB" ? 1_000_000 : 1);
}

describe("docs/operate/sizing.md", function () {
  this.timeout(60_000);
  let fleet: RedisFleet;
  let managers: LockManager[];

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    managers = Array.from({ length: 11 }, () => new LockManager(fleet.urls, PATIENT));
    await Promise.all(managers.map((locks) => locks.ready({ all: true })));
  });
  after(async () => {
    await Promise.all(managers.map((locks) => locks.close()));
    await fleet.stop();
  });

  const node = (): RedisProcess => fleet.nodes[0] as unknown as RedisProcess;

  /** Of all keys for which the test holds, those of their node's table of keys included. */
  async function bytesOf(pattern: string): Promise<number> {
    const keys = (await node().command("KEYS", pattern)) as string[];
    const sizes = await Promise.all(keys.map((key) => node().command("MEMORY", "USAGE", key)));
    return sizes.reduce<number>((sum, size) => sum + Number(size), 0);
  }

  /** Within what the page states, which is not more than three times of it. */
  function expectStated(about: string, bytes: number): void {
    expect(bytes, about).to.be.within(stated(about) / 3, stated(about));
  }

  it("states what a held lock takes, with its share of the record", async () => {
    const [locks] = managers as [LockManager];
    const before = await bytesOf("*");
    const names = Array.from({ length: COUNT }, (_, at) => `some-invoice:${at}`);
    const held = await Promise.all(names.map((name) => locks.acquire(name)));
    expectStated("a held lock", ((await bytesOf("*")) - before) / COUNT);
    await Promise.all(held.map((lock) => lock.release()));
  });

  it("states what a process takes that waits for a name", async () => {
    const [holder, ...waiters] = managers as [LockManager, ...LockManager[]];
    const lock = await holder.acquire("busy");
    const before = await bytesOf("quorate:*");
    const all = waiters.map((locks) => locks.acquire("busy"));
    while ((await holder.inspect("busy")).waitingCount < waiters.length);
    expectStated("a process that waits", ((await bytesOf("quorate:*")) - before) / waiters.length);
    const next = all.map(async (acquired) => (await acquired).release());
    await lock.release();
    await Promise.all(next);
  });

  it("states what a value takes", async () => {
    const [locks] = managers as [LockManager];
    const before = await bytesOf("*");
    const plain = await locks.acquire("plain");
    const plainBytes = (await bytesOf("*")) - before;
    const proclaiming = await locks.acquire("proclaiming", { value: "v".repeat(1_024) });
    const bytes = async (): Promise<number> => (await bytesOf("*")) - before - 2 * plainBytes;
    await eventually("the value is there", async () => (await bytes()) > 1_024);
    expectStated("a `value` of 1 kB", await bytes());
    await Promise.all([plain, proclaiming].map((lock) => lock.release()));
  });

  it("states what the size of a semaphore takes", async () => {
    const [locks] = managers as [LockManager];
    const semaphore = locks.semaphore("some-service:workers", { permits: 8 });
    await semaphore.resize(16);
    await (await semaphore.acquire()).release();
    expectStated("a semaphore that was [resized]", await bytesOf("quorate:size*"));
    const all = fleet.nodes.map((one) =>
      one.command("DEL", "quorate:size:{lock:some-service:workers}"),
    );
    expect(await Promise.all(all)).to.deep.equal([1, 1, 1]);
    const [, other] = managers as [LockManager, LockManager];
    expect(await other.semaphore(semaphore.name, { permits: 8 }).available()).to.equal(8);
  });

  it("states how many connections there are", async () => {
    const all = async (): Promise<number> =>
      String(await node().command("CLIENT", "LIST")).split("\n").length;
    const before = await all();
    await using locks = new LockManager(fleet.urls, PATIENT);
    await locks.ready({ all: true });
    await using lock = await locks.acquire("counted", { renew: false, ttlMs: 60_000 });
    expect(await all()).to.equal(before + 1);
    expect(await locks.acquire("counted", { waitMs: 500 }).catch(() => "held")).to.equal("held");
    await eventually("it listens", async () => (await all()) === before + 2);
    const observed = ["a", "b"].map((name) => locks.observe(name));
    await Promise.all(observed.map((observer) => observer.next()));
    await eventually("each name has one more", async () => (await all()) === before + 4);
    expect(lock.isHeld).to.equal(true);
  });

  it("states what a lock takes that an operator ended", async () => {
    const [locks] = managers as [LockManager];
    await locks.acquire("stuck", { renew: false });
    const before = await bytesOf("quorate:ended*");
    await locks.forceRelease("stuck");
    expectStated("a lock that [an operator ended]", (await bytesOf("quorate:ended*")) - before);
  });

  it("states elsewhere what the fence of a store takes", async () => {
    const fencing = readFileSync(join(root, "docs", "explain", "fencing.md"), "utf8");
    const [, bytes] = /takes about (\d+) bytes per name/.exec(fencing) ?? [];
    const store = new Redis(node().url);
    const fence = new RedisFence(store);
    for (let at = 0; at < COUNT; at++)
      await fence.run({ name: `cart:${at}`, fencingToken: 1_795_777_031_717_000 });
    store.disconnect();
    const each = (await bytesOf("quorate:fenced:*")) / COUNT;
    expect(each).to.be.within(Number(bytes) / 3, Number(bytes));
  });

  it("states what the record takes with all fences that there can be", async () => {
    const fields = Array.from({ length: 65_536 }, (_, at) => [String(at), "9007199254740991"]);
    for (let at = 0; at < fields.length; at += 4_096)
      await node().command("HSET", "a-record", ...fields.slice(at, at + 4_096).flat());
    expectStated(
      "the record",
      Number(await node().command("MEMORY", "USAGE", "a-record", "SAMPLES", "0")),
    );
    await node().command("DEL", "a-record");
  });
});
