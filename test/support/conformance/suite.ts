import type { Suite } from "mocha";
import { clockShim } from "../../../src/testing/clock-shim.js";
import { UnavailableError } from "../../../src/testing/index.js";
import { RedisNode } from "./redis-node.js";

const reason = await whyNoClock();

/** A suite with one real server whose clock is the suite's; skipped where no clock can be set. */
export function conformance(title: string, body: (redis: () => RedisNode) => void): void {
  const suite = reason === undefined ? describe : describe.skip;
  suite(reason === undefined ? title : `${title} (skipped: ${reason})`, function (this: Suite) {
    this.timeout(60_000);
    let redis: RedisNode;
    before(async () => {
      redis = await RedisNode.start();
    });
    after(() => redis[Symbol.asyncDispose]());
    body(() => redis);
  });
}

async function whyNoClock(): Promise<string | undefined> {
  try {
    await clockShim();
    return undefined;
  } catch (error) {
    if (error instanceof UnavailableError) return error.message.split("\n")[0];
    throw error;
  }
}
