import type { RedisFleet } from "../src/testing/index.js";
import type { Progress } from "./progress.js";
import type { Verdict } from "./verdict.js";

/** One part of the bench: it measures a plan in series of samples, and judges them by its targets. */
export interface Part<PartPlan, Series> {
  /** Number of progress steps. */
  steps(plan: PartPlan): number;
  run(plan: PartPlan, fleet: RedisFleet, progress: Progress): Promise<readonly Series[]>;
  verdicts(series: readonly Series[]): Verdict[];
}
