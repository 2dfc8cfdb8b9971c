import type { RedisFleet } from "../../src/testing/index.js";
import { EXPOSE_GC } from "../process/heap.js";
import { askOnce } from "../process/child.js";
import type { Progress } from "../progress.js";
import type { HolderJob } from "./holder.js";
import type { HeldPlan } from "./plan.js";
import type { HeldSample } from "./sample.js";

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
  { nodeCount, lockCounts, ttlMs, rounds, settleMs, measureMs }: HeldPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<HeldSeries[]> {
  const series = lockCounts.map((lockCount): HeldSeries => ({ lockCount, samples: [] }));
  const urls = fleet.urls.slice(0, nodeCount);
  for (let round = 0; round < rounds; round++) {
    for (const { lockCount, samples } of series) {
      progress.step(`${lockCount} held locks, round ${round + 1}/${rounds}`);
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      const job: HolderJob = { urls, lockCount, ttlMs, settleMs, measureMs };
      const limitMs = settleMs + 2 * measureMs + SPARE_MS;
      samples.push(await askOnce<HeldSample>("holder", HOLDER, job, limitMs, EXPOSE_GC));
    }
  }
  return series;
}
