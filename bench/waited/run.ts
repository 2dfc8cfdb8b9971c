import type { RedisFleet } from "../../src/testing/index.js";
import { Latencies } from "../numbers/latencies.js";
import { Child } from "../process/child.js";
import type { Progress } from "../progress.js";
import type { HolderQuestion } from "./holder.js";
import type { WaitedPlan } from "./plan.js";
import { LATE_MS, type IdleSample, type WaitedSample } from "./sample.js";
import type { WaiterQuestion } from "./waiter.js";

const HOLDER = new URL("holder.js", import.meta.url);
const WAITER = new URL("waiter.js", import.meta.url);

/** Time for starting, acquiring and releasing, ms, in addition to the measurement. */
const SPARE_MS = 60_000;

/** Samples of one number of names, one per round. */
export interface WaitedSeries {
  readonly nameCount: number;
  readonly samples: WaitedSample[];
}

export const waitedSteps = ({ nameCounts, rounds }: WaitedPlan): number =>
  rounds * nameCounts.length;

export async function runWaitedPart(
  { nodeCount, nameCounts, rounds, settleMs, measureMs }: WaitedPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<WaitedSeries[]> {
  const series = nameCounts.map((nameCount): WaitedSeries => ({ nameCount, samples: [] }));
  const urls = fleet.urls.slice(0, nodeCount);
  for (let round = 0; round < rounds; round++) {
    for (const { nameCount, samples } of series) {
      progress.step(`${nameCount} names waited for, round ${round + 1}/${rounds}`);
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      samples.push(await runOnce({ kind: "wait", urls, nameCount, settleMs, measureMs }));
    }
  }
  return series;
}

async function runOnce(job: WaiterQuestion & { readonly kind: "wait" }): Promise<WaitedSample> {
  const { urls, nameCount, settleMs, measureMs } = job;
  await using holder = new Child("holder", HOLDER);
  await using waiter = new Child("waiter", WAITER);
  const hold: HolderQuestion = { kind: "hold", urls, nameCount };
  await holder.ask(hold, SPARE_MS);
  const idle = await waiter.ask<IdleSample>(job, settleMs + measureMs + SPARE_MS);
  const release: HolderQuestion = { kind: "release" };
  const releasedMs = await holder.ask<number[]>(release, SPARE_MS);
  const granted: WaiterQuestion = { kind: "granted", withinMs: 10 * LATE_MS };
  const grantedMs = await waiter.ask<number[]>(granted, SPARE_MS);
  return { ...idle, ...wakeUps(releasedMs, grantedMs) };
}

/** @param grantedMs NaN for a name that was not granted */
export function wakeUps(
  releasedMs: readonly number[],
  grantedMs: readonly number[],
): Omit<WaitedSample, keyof IdleSample> {
  const latencies = new Latencies();
  let lateCount = 0;
  releasedMs.forEach((fromMs, index) => {
    const wakeMs = (grantedMs[index] ?? Number.NaN) - fromMs;
    latencies.add(wakeMs);
    if (Number.isNaN(wakeMs) || wakeMs > LATE_MS) lateCount++;
  });
  const [wakeP50Ms = Number.NaN, wakeP99Ms = Number.NaN, wakeMaxMs = Number.NaN] =
    latencies.quantiles(0.5, 0.99, 1);
  return { wakeP50Ms, wakeP99Ms, wakeMaxMs, lateCount };
}
