import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
await locks.ready();
let prices = { teapot: 30 };

const read = (who: string): Promise<void> =>
  locks.request("prices", { mode: "shared" }, async () => {
    const { teapot } = prices; // nobody writes meanwhile
    await sleep(100);
    console.log(`${who}: ${teapot}, then ${prices.teapot}`);
  });

const first = Promise.all([read("reader"), read("reader")]); // side by side
await sleep(50);
const write = locks.request("prices", async () => {
  prices = { teapot: 35 }; // nobody reads meanwhile
  console.log("written");
});
await sleep(50);
await Promise.all([first, write, read("later reader")]); // the later reader lets the writer go first
await locks.close();
