import { Redis } from "ioredis";
import { RedisFence, StaleTokenError } from "../src/fencing/index.js";
import { LockManager } from "../src/index.js";

await using locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
const redis = new Redis("redis://127.0.0.1:7001"); // where the data is; may be a Cluster
const fence = new RedisFence(redis);

const cart = await locks.acquire("cart:7");
// Read through the fence as well: from now on no earlier holder can change what was read.
const [count] = await fence.run(cart, ["HGET", "{cart:7}:items", "teapot"]);
await fence.run(
  cart,
  ["HSET", "{cart:7}:items", "teapot", Number(count) + 1],
  ["SET", "{cart:7}:changed", Date.now()],
);
await cart.release();

// Another client holds the lock now, and has shown its token.
const next = await locks.acquire("cart:7");
await fence.run(next);
try {
  await fence.run(cart, ["DEL", "{cart:7}:items"]);
} catch (error) {
  if (!(error instanceof StaleTokenError)) throw error;
  console.log(`${error.code}, ${await redis.hget("{cart:7}:items", "teapot")} teapot left`);
}
await next.release();
redis.disconnect();
