import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../src/index.js";

/** A process of its own whose callers want a permit each, again and again; it tells its parent when. */

const { urls, permits, count, rounds } = JSON.parse(process.argv[2] ?? "") as {
  readonly urls: readonly string[];
  readonly permits: number;
  readonly count: number;
  readonly rounds: number;
};

/** One clock for all processes of the machine. */
const nowUs = (): number => Number(process.hrtime.bigint() / 1_000n);

const locks = new LockManager(urls, { waitMs: 30_000 });
const semaphore = locks.semaphore("shared by processes", { permits });
const events: { inside: boolean; atUs: number; permit: number }[] = [];

const caller = async (): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
    await semaphore.request(async ({ permit = -1 }) => {
      events.push({ inside: true, atUs: nowUs(), permit });
      await sleep(1);
      events.push({ inside: false, atUs: nowUs(), permit });
    });
  }
};

await Promise.all(Array.from({ length: count }, caller));
await locks.close();
process.send?.(events);
process.disconnect();
