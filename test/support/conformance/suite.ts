import { describeWithClocks } from "../with-clocks.js";
import { RedisNode } from "./redis-node.js";

/** A suite with one real server whose clock is the suite's; skipped where no clock can be set. */
export function conformance(title: string, body: (redis: () => RedisNode) => void): void {
  describeWithClocks(title, () => {
    let redis: RedisNode;
    before(async () => {
      redis = await RedisNode.start();
    });
    after(() => redis[Symbol.asyncDispose]());
    body(() => redis);
  });
}
