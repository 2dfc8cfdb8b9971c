// One process of one subject: alone on its names, or one of two that pass names back and forth. Forked by run.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";
import { openAcquire, type Acquire } from "../subjects/acquire.js";
import type { Load, Tenure } from "./sample.js";

/** Through the links, or bypassing them. */
export type Route = "linked" | "local";

export type ClientQuestion =
  | {
      readonly kind: "open";
      readonly subjectName: string;
      readonly urls: Readonly<Record<Route, readonly string[]>>;
      readonly warmUpCycles: number;
    }
  | {
      readonly kind: "load";
      readonly route: Route;
      readonly cyclesPerSecond: number;
      readonly settleMs: number;
      readonly measureMs: number;
    }
  | {
      readonly kind: "pass";
      readonly route: Route;
      readonly nameCount: number;
      /** Which of the two processes it is, 0 or 1; each starts with half of the names. */
      readonly index: number;
      readonly roundTripMs: number;
      readonly durationMs: number;
    };

let acquires: Readonly<Record<Route, Acquire>> | undefined;

serve(async (question: ClientQuestion): Promise<Load | readonly Tenure[] | undefined> => {
  if (question.kind === "open") {
    const { subjectName, urls, warmUpCycles } = question;
    const [linked, local] = await Promise.all([
      openAcquire(subjectName, urls.linked),
      openAcquire(subjectName, urls.local),
    ]);
    acquires = { linked, local };
    await warmUp(local, warmUpCycles);
    return undefined;
  }
  const acquire = acquires?.[question.route];
  if (acquire === undefined) throw new Error("not open");
  return question.kind === "load" ? load(acquire, question) : pass(acquire, question);
});

/** Parallel cycles while code is being compiled. */
const WARM_UP_IN_FLIGHT = 8;

async function warmUp(acquire: Acquire, cycleCount: number): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    // Names of this process only: several processes warm up at the same time.
    while (next < cycleCount) await (await acquire(`warm:${process.pid}:${next++ % 1_000}`))();
  };
  await Promise.all(Array.from({ length: WARM_UP_IN_FLIGHT }, loop));
}

/** Cycles at a steady rate, whatever happens to earlier ones: waiting for slow cycles would hide them. */
async function load(
  acquire: Acquire,
  { cyclesPerSecond, settleMs, measureMs }: ClientQuestion & { readonly kind: "load" },
): Promise<Load> {
  const acquiresMs: number[] = [];
  const cyclesMs: number[] = [];
  const measuredFromMs = nowMs() + settleMs;
  const cycle = async (name: string): Promise<void> => {
    const fromMs = nowMs();
    const release = await acquire(name);
    const grantedMs = nowMs();
    await release();
    if (fromMs < measuredFromMs) return;
    acquiresMs.push(grantedMs - fromMs);
    cyclesMs.push(nowMs() - fromMs);
  };
  const begun: Promise<void>[] = [];
  while (nowMs() < measuredFromMs + measureMs) {
    begun.push(cycle(`wide:${begun.length}`));
    // Random, so as not to be in step with anything periodic.
    await sleep(((0.5 + Math.random()) * 1_000) / cyclesPerSecond);
  }
  await Promise.all(begun);
  return { acquiresMs, cyclesMs };
}

/** Longer than peers sleep between attempts, ms: the other process holds the name before this one asks again. */
const AWAY_MS = 350;

async function pass(
  acquire: Acquire,
  { nameCount, index, roundTripMs, durationMs }: ClientQuestion & { readonly kind: "pass" },
): Promise<readonly Tenure[]> {
  const tenures: Tenure[] = [];
  const endMs = nowMs() + durationMs;
  const awayMs = AWAY_MS + 2 * roundTripMs;
  // Until the other process is waiting again; random, so as not to be in step with its attempts if it polls.
  const holdMs = (): number => awayMs + 4 * roundTripMs + 20 + Math.random() * 200;
  const rest = (ms: number): Promise<unknown> => sleep(Math.max(0, Math.min(ms, endMs - nowMs())));
  const passOne = async (at: number): Promise<void> => {
    const isFirst = at % 2 === index;
    await rest(Math.random() * 200 + (isFirst ? 0 : 250 + 2 * roundTripMs));
    while (nowMs() < endMs) {
      const name = `passed:${at}`;
      const askedMs = nowMs();
      const release = await acquire(name);
      const grantedMs = nowMs();
      await rest(holdMs());
      tenures.push({ name, askedMs, grantedMs, releasedMs: nowMs() });
      await release();
      await rest(awayMs);
    }
  };
  await Promise.all(Array.from({ length: nameCount }, (_, at) => passOne(at)));
  return tenures;
}
