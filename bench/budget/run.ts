import type { RedisFleet } from "../../src/testing/index.js";
import type { Progress } from "../progress.js";
import { measureCell, measureInRounds, type CellSeries } from "../uncontended/run.js";
import type { BudgetPlan } from "./plan.js";
import type { BudgetSample } from "./sample.js";

export type BudgetSeries = CellSeries<BudgetSample>;

const CLIENT = new URL("client.js", import.meta.url);

/** As the uncontended part, with a client that measures twice. */
export function runBudgetPart(
  plan: BudgetPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<BudgetSeries[]> {
  return measureInRounds(
    plan,
    progress,
    (cell, subjectName) => measureCell<BudgetSample>(plan, cell, subjectName, fleet, CLIENT),
    "budget, ",
  );
}
