import type { RedisFleet } from "../../src/testing/index.js";
import { rotated } from "../numbers/rotated.js";
import { askOnce } from "../process/child.js";
import type { Progress } from "../progress.js";
import { cellName, type Cell } from "../uncontended/cell.js";
import type { Job } from "../uncontended/client.js";
import type { BudgetPlan } from "./plan.js";
import type { BudgetSample } from "./sample.js";

/** Samples of one subject in one cell, one per round. */
export interface BudgetSeries {
  readonly cell: Cell;
  readonly subjectName: string;
  readonly samples: BudgetSample[];
}

const CLIENT = new URL("client.js", import.meta.url);

/** Time for starting, connecting, warming up and draining, ms, in addition to both measurements. */
const SPARE_MS = 60_000;

export const budgetSteps = ({ cells, subjectNames, rounds }: BudgetPlan): number =>
  rounds * cells.length * subjectNames.length;

/** As in the uncontended part, subjects of a cell take turns within a round. */
export async function runBudgetPart(
  { cells, subjectNames, rounds, warmUpCycles, measureMs }: BudgetPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<BudgetSeries[]> {
  const all = cells.map((cell) =>
    subjectNames.map((subjectName): BudgetSeries => ({ cell, subjectName, samples: [] })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { cell, subjectName, samples } of all.flatMap((one) => rotated(one, round))) {
      progress.step(`budget, ${cellName(cell)}, round ${round + 1}/${rounds}: ${subjectName}`);
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      const { nodeCount, inFlight } = cell;
      const urls = fleet.urls.slice(0, nodeCount);
      const job: Job = { subjectName, urls, options: { inFlight, warmUpCycles, measureMs } };
      const limitMs = 2 * measureMs + SPARE_MS;
      samples.push(await askOnce<BudgetSample>(subjectName, CLIENT, job, limitMs));
    }
  }
  return all.flat();
}
