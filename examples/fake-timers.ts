import assert from "node:assert/strict";
import { afterEach, beforeEach, it, mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { LockManager } from "../src/index.js";
import { memoryNodes } from "../src/memory/index.js";

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() }));
afterEach(() => mock.timers.reset());

/** `tick` only runs timers: nodes answer in between, in steps that are shorter than a third of the ttl. */
async function advance(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    mock.timers.tick(Math.min(left, 1_000));
    await setImmediate(); // is not mocked: requests and replies travel meanwhile
  }
}

await it("stops when the lock is lost", async () => {
  const nodes = memoryNodes(3);
  const acquired = new LockManager(nodes).acquire("report");
  await advance(5_000); // a first attempt may fail, on a machine that stands still for a moment
  const lock = await acquired;
  await advance(3_600_000); // renewed for an hour
  lock.assertHeld();
  for (const node of nodes) node.crash();
  await advance(60_000);
  assert.equal(lock.signal.aborted, true);
});
