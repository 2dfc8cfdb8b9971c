/**
 * Loaded by mocha before all tests: a test that leaves something of the library behind fails, with what it is
 * and where the library made it.
 */
import { setTimeout as sleep } from "node:timers/promises";
// First, before anything loads ioredis.
import { forget, leftovers, openManagers, timersLeft, watchUsers } from "./resources.js";
import { LockManager } from "../../../src/index.js";
import { compileLater } from "../compile-later.js";
import { SharedNodes } from "../../../src/nodes/shared-nodes.js";

compileLater();
watchUsers(LockManager, SharedNodes);

/** Connections end a moment after they were told to; on a busy machine, when their server runs again. */
const GRACE_MS = 10_000;

async function expectNothingLeft(): Promise<void> {
  // At once, since what runs out soon would be missed later.
  const timers = timersLeft();
  const endMs = performance.now() + GRACE_MS;
  while (leftovers().length > 0 && performance.now() < endMs) await sleep(10);
  const left = [...timers, ...leftovers()];
  forget();
  if (left.length > 0) throw new Error(`left behind:\n  ${[...new Set(left)].join("\n  ")}`);
}

let openBefore: ReadonlyMap<unknown, string> = new Map();

export const mochaHooks = {
  beforeAll(this: Mocha.Context): void {
    // Behind all hooks of the describe itself, which close what its tests have in common. Not hooks of mocha's
    // root: one of those that fails ends the whole run.
    for (const suite of this.test?.parent?.suites ?? []) {
      suite.afterEach("nothing of the library is left", async function (this: Mocha.Context) {
        const opened = [...openManagers()].filter(([manager]) => !openBefore.has(manager));
        // What is left open would be found again after every test that follows.
        await Promise.all(opened.map(([manager]) => manager.close()));
        const hasFailed = this.currentTest?.state === "failed";
        await expectNothingLeft().catch((error: unknown) => {
          // A test that failed has not come to its end.
          if (!hasFailed) throw error;
        });
        const places = opened.map(([, place]) => place);
        if (places.length === 0 || hasFailed) return;
        throw new Error(`not closed: managers made at ${places.join(", ")}`);
      });
      suite.afterAll("nothing of the library is left", expectNothingLeft);
    }
  },
  beforeEach(): void {
    openBefore = openManagers();
  },
};
