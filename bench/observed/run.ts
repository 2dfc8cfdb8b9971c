import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { RedisFleet } from "../../src/testing/index.js";
import { readStats } from "../numbers/node-stats.js";
import { Child } from "../process/child.js";
import type { Progress } from "../progress.js";
import { runBesideBase } from "../rounds-beside.js";
import type { ChangerQuestion } from "./changer.js";
import type { ObserversAnswer, ObserversQuestion } from "./observers.js";
import type { ObservedCase, ObservedPlan } from "./plan.js";
import type { ObservedSample } from "./sample.js";

const OBSERVERS = new URL("observers.js", import.meta.url);
const CHANGER = new URL("changer.js", import.meta.url);

const NAME = "bench:observed";

/** Time limit of one question, ms. */
const LIMIT_MS = 120_000;

/** Samples of one number of observers, one per round. */
export interface ObservedSeries extends ObservedCase {
  readonly samples: ObservedSample[];
}

export const observedSteps = ({ cases, rounds }: ObservedPlan): number => rounds * cases.length;

export async function runObservedPart(
  plan: ObservedPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<ObservedSeries[]> {
  const nameOf = (one: ObservedCase): string => `${one.managerCount} x ${one.loopCount} observers`;
  return await runBesideBase(plan, fleet, progress, nameOf, (one, urls, readers) =>
    runOnce(plan, one, urls, readers),
  );
}

async function runOnce(
  { settleMs, measureMs, changeMs, nodeCount }: ObservedPlan,
  one: ObservedCase,
  urls: readonly string[],
  readers: readonly Redis[],
): Promise<Omit<ObservedSample, "base">> {
  await using observers = new Child("observers", OBSERVERS);
  await using changer = new Child("changer", CHANGER);
  const ask = (question: ObserversQuestion): Promise<ObserversAnswer> =>
    observers.ask<ObserversAnswer>(question, LIMIT_MS);
  const change = (forMs: number): Promise<number> => {
    const question: ChangerQuestion = { urls, name: NAME, forMs, changeMs };
    return changer.ask<number>(question, LIMIT_MS);
  };
  /** Per millisecond. */
  const used = async <T>(
    during: () => Promise<T>,
  ): Promise<{ result: T; elapsedMs: number; nodeUs: number } & ObserversAnswer> => {
    await ask({ kind: "used" });
    const before = await readStats(readers);
    const fromMs = performance.now();
    const result = await during();
    const elapsedMs = performance.now() - fromMs;
    const after = await readStats(readers);
    const nodeUs = (after.cpuUs - before.cpuUs) / nodeCount;
    return { result, elapsedMs, nodeUs, ...(await ask({ kind: "used" })) };
  };

  await change(settleMs);
  await ask({ kind: "observe", urls, name: NAME, ...one });
  await change(settleMs);
  const idle = await used(() => sleep(measureMs));
  const busy = await used(() => change(measureMs));
  const perChange = (busyUs: number, idleUs: number): number =>
    (busyUs - (idleUs * busy.elapsedMs) / idle.elapsedMs) / busy.result;
  return {
    idleClientShare: idle.cpuUs / 1_000 / idle.elapsedMs,
    idleNodeShare: idle.nodeUs / 1_000 / idle.elapsedMs,
    clientUs: perChange(busy.cpuUs, idle.cpuUs),
    nodeUs: perChange(busy.nodeUs, idle.nodeUs),
    shownShare: busy.shownCount / busy.result / (one.managerCount * one.loopCount),
  };
}
