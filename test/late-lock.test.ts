import { inspect } from "node:util";
import { expect } from "chai";
import { LockManager, type LateLock } from "../src/index.js";
import { memoryNodes } from "../src/memory/index.js";
import { eventually } from "./support/settle.js";

describe("LockManager: a lock that is late", () => {
  it("is told of by the event `late` before `lost`, without its secret", async () => {
    const nodes = memoryNodes(3);
    await using locks = new LockManager(nodes, { ttlMs: 300, lossNoticeMs: 120 });
    const events: [string, LateLock | undefined][] = [];
    locks.on("late", (lock) => events.push(["late", lock]));
    locks.on("lost", () => events.push(["lost", undefined]));
    const lock = await locks.acquire(["b", "a"]);
    for (const node of nodes) node.freeze();
    await eventually("it is lost", () => events.some(([event]) => event === "lost"));
    for (const node of nodes) node.thaw();

    expect(events.map(([event]) => event)).to.deep.equal(["late", "lost"]);
    const late = events[0]?.[1];
    expect(late).to.include({ name: "a, b", mode: "exclusive", fencingToken: lock.fencingToken });
    expect(late?.names).to.deep.equal(["a", "b"]);
    expect(late?.remainingMs).to.be.above(0).and.at.most(120);
    expect(late?.lateMs).to.be.above(0).and.below(300);
    expect(inspect(late)).to.not.include(lock.ownerId);
  });

  it("is not told of while its renewals succeed", async () => {
    await using locks = new LockManager(memoryNodes(3), { ttlMs: 300 });
    const late: LateLock[] = [];
    locks.on("late", (lock) => late.push(lock));
    await using lock = await locks.acquire("a");
    const validUntil = lock.validUntil.getTime();
    await eventually("it was renewed twice", () => lock.validUntil.getTime() > validUntil + 150);
    expect(late).to.deep.equal([]);
  });
});
