// A process that acquires and releases permits of one semaphore. Forked by run.ts.
import { LockManager, type Semaphore } from "../../src/index.js";
import { cpuClock } from "../process/cpu-clock.js";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";
import type { PermitsCase, PermitsPlan } from "./plan.js";

export interface ClientQuestion extends PermitsCase, Pick<PermitsPlan, "workerCount"> {
  readonly urls: readonly string[];
  readonly forMs: number;
}

export interface ClientAnswer {
  readonly requestCount: number;
  readonly elapsedMs: number;
  readonly cpuUs: number;
}

/** How many are acquired at once before it is measured. */
const HOLDERS_AT_ONCE = 100;

let semaphore: Semaphore | undefined;

/** The first question also acquires those that are held meanwhile. */
serve(async (question: ClientQuestion): Promise<ClientAnswer> => {
  semaphore ??= await open(question);
  const { forMs, most, workerCount } = question;
  const cpuUs = cpuClock();
  const fromMs = nowMs();
  let requestCount = 0;
  const work = async (worker: number): Promise<void> => {
    for (let turn = worker; nowMs() < fromMs + forMs; turn++) {
      const lock = await semaphore?.acquire({ permits: 1 + (turn % most) });
      await lock?.release();
      requestCount++;
    }
  };
  await Promise.all(Array.from({ length: workerCount }, (_, worker) => work(worker)));
  return { requestCount, elapsedMs: nowMs() - fromMs, cpuUs: cpuUs() };
});

async function open({ urls, permits, heldCount }: ClientQuestion): Promise<Semaphore> {
  const locks = new LockManager(urls, { ttlMs: 60_000, waitMs: 60_000 });
  await locks.ready();
  const opened = locks.semaphore("bench:permits", { permits });
  for (let count = 0; count < heldCount; count += HOLDERS_AT_ONCE) {
    const left = Math.min(HOLDERS_AT_ONCE, heldCount - count);
    await Promise.all(Array.from({ length: left }, () => opened.acquire()));
  }
  return opened;
}
