import type { RedisFleet } from "../../src/testing/index.js";
import { EXPOSE_GC } from "../process/heap.js";
import { askOnce, Child } from "../process/child.js";
import type { Progress } from "../progress.js";
import { wakeUps } from "../waited/run.js";
import type { EnderJob } from "./ender.js";
import type { HolderQuestion, HoldQuestion } from "./holder.js";
import type { HeldPlan } from "./plan.js";
import type { HeldSample, HoldingSample } from "./sample.js";

const ENDER = new URL("ender.js", import.meta.url);
const HOLDER = new URL("holder.js", import.meta.url);

/** Time for starting, acquiring and probing, ms, in addition to the measurement. */
const SPARE_MS = 60_000;

/** Samples of one number of locks, one per round. */
export interface HeldSeries {
  readonly lockCount: number;
  readonly samples: HeldSample[];
}

export const heldSteps = ({ lockCounts, rounds }: HeldPlan): number => rounds * lockCounts.length;

export async function runHeldPart(
  { nodeCount, lockCounts, endedCount, ttlMs, rounds, settleMs, measureMs }: HeldPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<HeldSeries[]> {
  const series = lockCounts.map((lockCount): HeldSeries => ({ lockCount, samples: [] }));
  const urls = fleet.urls.slice(0, nodeCount);
  for (let round = 0; round < rounds; round++) {
    for (const { lockCount, samples } of series) {
      progress.step(`${lockCount} held locks, round ${round + 1}/${rounds}`);
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      const locks = { lockCount, endedCount, ttlMs };
      samples.push(await runOnce({ kind: "hold", urls, ...locks, settleMs, measureMs }));
    }
  }
  return series;
}

async function runOnce(hold: HoldQuestion): Promise<HeldSample> {
  const { urls, endedCount, settleMs, measureMs } = hold;
  await using holder = new Child("holder", HOLDER, EXPOSE_GC);
  const sample = await holder.ask<HoldingSample>(hold, settleMs + 2 * measureMs + SPARE_MS);
  const end: EnderJob = { urls, endedCount };
  const endedMs = await askOnce<number[]>("ender", ENDER, end, SPARE_MS);
  const told: HolderQuestion = { kind: "told" };
  const toldMs = await holder.ask<number[]>(told, SPARE_MS);
  const { wakeP50Ms, wakeMaxMs, lateCount } = wakeUps(endedMs, toldMs);
  return { ...sample, toldP50Ms: wakeP50Ms, toldMaxMs: wakeMaxMs, untoldCount: lateCount };
}
