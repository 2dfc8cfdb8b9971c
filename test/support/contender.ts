/**
 * Run as a process: its workers want one name again and again for a while, and report every time they
 * had it, as lines of JSON. The clock is the machine's monotonic one, the same for all processes.
 */
import { LockManager } from "../../src/index.js";

const { URLS, DURATION_MS, SEED, WORKERS } = process.env;
const urls = JSON.parse(URLS ?? "[]") as string[];
const endMs = performance.now() + Number(DURATION_MS);
const nowNs = (): string => process.hrtime.bigint().toString();
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

// So long that no stall of the machine outlasts what a renewal leaves: what is measured afterwards would be too late.
const locks = new LockManager(urls, { ttlMs: 4_500, waitMs: 6_000, nodeTimeoutMs: 1_000 });
locks.on("warning", () => {});

async function work(firstCount: number): Promise<void> {
  for (let count = firstCount; performance.now() < endMs; count++) {
    try {
      const lock = await locks.acquire("contended", { label: `contender ${SEED}` });
      const fromNs = nowNs();
      let untilNs: string | undefined;
      lock.signal.addEventListener("abort", () => {
        untilNs ??= nowNs();
      });
      // Held for a moment, mostly; sometimes beyond a renewal.
      await new Promise((resolve) => setTimeout(resolve, count % 20 === 0 ? 1_700 : count % 7));
      // The instant first: it may be long past when the lock is looked at, and not the other way round.
      const atNs = nowNs();
      if (lock.isHeld) untilNs ??= atNs;
      say({ fromNs, untilNs: untilNs ?? nowNs(), token: lock.fencingToken });
      await lock.release();
    } catch (error) {
      say({ code: (error as { code?: string }).code ?? String(error) });
    }
    // Lets the other one have a chance, as anything fair would.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
  }
}

await Promise.all(Array.from({ length: Number(WORKERS) }, (_, n) => work(Number(SEED) + 3 * n)));
await locks.close();
