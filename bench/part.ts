import type { RedisFleet } from "../src/testing/index.js";
import type { Progress } from "./progress.js";
import type { Verdict } from "./verdict.js";

/** One part of the bench: what it measures by a plan, in series of samples, and what its targets say to them. */
export interface Part<PartPlan, Series> {
  /** Number of steps that are told to the progress. */
  steps(plan: PartPlan): number;
  run(plan: PartPlan, fleet: RedisFleet, progress: Progress): Promise<readonly Series[]>;
  verdicts(series: readonly Series[]): Verdict[];
}
