import { readFileSync } from "node:fs";
import { expect } from "chai";
import { LockHeldError, LockManager, NoQuorumError } from "../src/index.js";
import { memoryNodes } from "../src/memory/index.js";
import { QuorumUnreachableError, WaitTimeoutError } from "../src/api/errors.js";
import { at } from "./support/nodes.js";
import { rejectionWith } from "./support/settle.js";

/** A face that one can hold in the head: whoever adds a name here takes another out. */
const MOST_EXPORTS = 70;

describe("the main entry", () => {
  it("has a limited number of exports, each named", () => {
    const source = readFileSync("src/index.ts", "utf8");
    expect(source).to.not.match(/export \*/);
    const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
    const names = lists.flatMap(([, list = ""]) => list.split(",").filter((name) => name.trim()));
    expect(source.match(/^export/gm)).to.have.length(lists.length);
    expect(names.length).to.be.within(1, MOST_EXPORTS);
  });

  it("has the bases by which a caller tells a held lock from an outage, beside the codes", async () => {
    const nodes = memoryNodes(3, { durable: true });
    const options = { nodeTimeoutMs: 50, clockStepMs: 3_000 };
    await using holder = new LockManager(nodes, { ...options, clockStepMs: 8_000 });
    await holder.ready();
    await using locks = new LockManager(nodes, options);
    await locks.ready();
    const beganMs = performance.now();
    const lock = await holder.acquire("name", { ttlMs: 10_000, renew: false });
    const tookMs = performance.now() - beganMs;
    const error = await rejectionWith(LockHeldError, locks.acquire("name", { waitMs: 20 }));
    expect(error).to.be.instanceOf(WaitTimeoutError);
    expect(error).to.include({ code: "QUORATE_WAIT_TIMEOUT", isHeldHere: false });
    // By the holder's margin, which is the largest on record, and not by that of the one who asks.
    expect(error.freeInMs).to.be.within(17_000, 18_000);
    expect(error.remainingMs).to.equal(error.freeInMs - 8_000);
    const beforeMs = lock.remainingMs;
    const report = at((await locks.inspect("name")).holders, 0);
    expect(report.remainingMs).to.equal(report.freeInMs - 8_000);
    // Its holder counts from before it asked, and less by its drift of 102 ms.
    expect(report.remainingMs).to.be.within(lock.remainingMs, beforeMs + tookMs + 103);
    at(nodes, 0).crash();
    at(nodes, 1).crash();
    const outage = await rejectionWith(NoQuorumError, locks.tryAcquire("name"));
    expect(outage).to.be.instanceOf(QuorumUnreachableError);
    expect(outage.code).to.equal("QUORATE_UNREACHABLE");
  });
});
