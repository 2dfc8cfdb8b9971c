/**
 * Run as a process: stands for election again and again for a while, and reports every term it saw
 * as lines of JSON. The clock is the machine's monotonic one, the same for all processes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../src/index.js";

const { URLS, DURATION_MS, SEED } = process.env;
const urls = JSON.parse(URLS ?? "[]") as string[];
const nowNs = (): string => process.hrtime.bigint().toString();
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

const locks = new LockManager(urls, { ttlMs: 1_000, nodeTimeoutMs: 400 });
locks.on("warning", () => {});
const onError = (error: Error): boolean => say({ told: error.name });
const signal = AbortSignal.timeout(Number(DURATION_MS));
let count = Number(SEED);

// Leaves the loop in all the ways there are, and stands again.
while (!signal.aborted) {
  try {
    for await (const term of locks.elect("office", {
      signal,
      onError,
      label: `candidate ${SEED}`,
    })) {
      const fromNs = nowNs();
      if (!term.isHeld) say({ code: "a term that was over" });
      let untilNs: string | undefined;
      term.signal.addEventListener("abort", () => {
        untilNs ??= nowNs();
      });
      count++;
      // In office for a moment, mostly; sometimes until it is lost.
      const stayMs = count % 5 === 0 ? 1_500 : count % 40;
      if (stayMs === 1_500) say({ stays: true });
      await sleep(stayMs, undefined, { signal: term.signal }).catch(() => {});
      if (term.isHeld) untilNs ??= nowNs();
      const { fencingToken: token, isLost } = term;
      say({ fromNs, untilNs: untilNs ?? nowNs(), token, isLost });
      if (count % 3 === 0) await term.resign();
      if (count % 7 === 0) break;
      if (count % 11 === 0) throw new Error("planned");
    }
  } catch (error) {
    const { message } = error as Error;
    if (message !== "planned") say({ code: message });
  }
}
await locks.close();
