/**
 * Run as a process: stands for election again and again, from the message "begin" to the message "end", and reports
 * every term it saw as lines of JSON. After "stay", its terms last until they are lost; after "go on", no longer.
 * The clock is the machine's monotonic one, the same for all processes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager, type Term } from "../../src/index.js";

const { URLS, SEED } = process.env;
const urls = JSON.parse(URLS ?? "[]") as string[];
const nowNs = (): bigint => process.hrtime.bigint();
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);

const locks = new LockManager(urls, { ttlMs: 5_000, nodeTimeoutMs: 1_500 });
locks.on("warning", () => {});
const onError = (error: Error): boolean => say({ told: error.name });
const ending = new AbortController();
const { signal } = ending;
let isToStay = false;
let begin = (): void => {};
const hasBegun = new Promise<void>((resolve) => {
  begin = resolve;
});
process.on("message", (message) => {
  if (message === "begin") begin();
  else if (message === "end") ending.abort();
  else isToStay = message === "stay";
});

/**
 * Calls back with the instant at which the term ended. Where this process stalls, it is told so late, but was not in
 * office for longer than it could know: that is what `isHeld` says to whoever asks.
 */
function onEnd(term: Term, callback: (untilNs: bigint) => void): void {
  let knownNs = 0n;
  const look = (): void => {
    // First the time: a process that stands still in between must not know of a later end than there is.
    const seenNs = nowNs();
    const leftNs = BigInt(Math.ceil(term.remainingMs * 1e6));
    if (leftNs > 0n) knownNs = seenNs + leftNs;
  };
  look();
  const timer = setInterval(look, 10);
  term.signal.addEventListener("abort", () => {
    clearInterval(timer);
    const endNs = nowNs();
    callback(endNs < knownNs ? endNs : knownNs);
  });
}

await locks.ready({ all: true, timeoutMs: 30_000 });
say({ isReady: true });
await hasBegun;
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
      let untilNs: bigint | undefined;
      onEnd(term, (endNs) => {
        untilNs ??= endNs;
      });
      count++;
      if (isToStay) say({ stays: true });
      const stayMs = isToStay ? 120_000 : count % 40;
      await sleep(stayMs, undefined, { signal: term.signal }).catch(() => {});
      if (term.isHeld) untilNs ??= nowNs();
      const { fencingToken: token, isLost } = term;
      say({ fromNs: String(fromNs), untilNs: String(untilNs ?? nowNs()), token, isLost });
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
process.disconnect();
