/**
 * Run as a process: its workers want one name again and again until its input ends, and report every time they
 * had it, as lines of JSON. The clock is the machine's monotonic one, the same for all processes.
 */
import { LockManager, type Lock } from "../../src/index.js";

const { URLS, SEED, WORKERS } = process.env;
const urls = JSON.parse(URLS ?? "[]") as string[];
const nowNs = (): bigint => process.hrtime.bigint();
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

process.stdin.resume();

/** How often the end of a lock's validity is noted, ms. */
const NOTE_EVERY_MS = 50;

// So long that no stall of the machine outlasts what a renewal leaves: what is measured afterwards would be too late.
const locks = new LockManager(urls, { ttlMs: 4_500, waitMs: 6_000, nodeTimeoutMs: 1_000 });
locks.on("warning", () => {});

/**
 * Holds the lock for that long. A process that stalls finds out late that it has lost it, so a lock that was lost
 * ended when its validity did, as far as that was noted.
 *
 * @returns until when it was held, at least
 */
async function hold(lock: Lock, holdMs: number): Promise<bigint> {
  let validUntilNs = 0n;
  let lostNs: bigint | undefined;
  const note = (): void => {
    // The instant first: it may be long past when the lock is looked at, and not the other way round.
    const atNs = nowNs();
    if (lock.isHeld) validUntilNs = atNs + BigInt(Math.floor(lock.remainingMs * 1e6));
    else lostNs ??= atNs < validUntilNs ? atNs : validUntilNs;
  };
  note();
  const timer = setInterval(note, NOTE_EVERY_MS);
  lock.signal.addEventListener("abort", note);
  await new Promise((resolve) => setTimeout(resolve, holdMs));
  clearInterval(timer);
  const atNs = nowNs();
  note();
  return lostNs ?? atNs;
}

async function work(firstCount: number): Promise<void> {
  for (let count = firstCount; !process.stdin.readableEnded; count++) {
    try {
      const lock = await locks.acquire("contended", { label: `contender ${SEED}` });
      const fromNs = nowNs();
      // For a moment, mostly; sometimes beyond a renewal.
      const untilNs = await hold(lock, count % 20 === 0 ? 1_700 : count % 7);
      say({ fromNs: String(fromNs), untilNs: String(untilNs), token: lock.fencingToken });
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
