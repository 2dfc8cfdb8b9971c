import { rotated } from "../numbers/rotated.js";
import { askOnce } from "../process/child.js";
import type { Progress } from "../progress.js";
import type { RedisFleet } from "../../src/testing/index.js";
import { cellName, type Cell } from "./cell.js";
import type { Job } from "./client.js";
import type { UncontendedPlan } from "./plan.js";
import type { Sample } from "./sample.js";

/** Samples of one subject in one cell, one per round. */
export interface Series {
  readonly cell: Cell;
  readonly subjectName: string;
  readonly samples: Sample[];
}

const CLIENT = new URL("client.js", import.meta.url);

/** Time for starting, connecting, warming up and draining, ms, in addition to the measurement. */
const SPARE_MS = 60_000;

export const uncontendedSteps = ({ cells, rounds }: UncontendedPlan): number =>
  rounds * cells.reduce((sum, { subjectNames }) => sum + subjectNames.length, 0);

/**
 * Measures everything once per round. Anything that slows the machine for a while slows all subjects of a cell, so
 * figures of one round can be compared with each other.
 */
export async function runUncontendedPart(
  plan: UncontendedPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<Series[]> {
  const all = plan.cells.map(({ cell, subjectNames }) =>
    subjectNames.map((subjectName): Series => ({ cell, subjectName, samples: [] })),
  );
  for (let round = 0; round < plan.rounds; round++) {
    for (const one of all) {
      for (const { cell, subjectName, samples } of rotated(one, round)) {
        progress.step(`${cellName(cell)}, round ${round + 1}/${plan.rounds}: ${subjectName}`);
        samples.push(await measureCell(plan, cell, subjectName, fleet));
      }
    }
  }
  return all.flat();
}

/** One subject in one cell, in a separate process. */
export async function measureCell(
  { warmUpCycles, measureMs }: Pick<UncontendedPlan, "warmUpCycles" | "measureMs">,
  { nodeCount, inFlight }: Cell,
  subjectName: string,
  fleet: RedisFleet,
): Promise<Sample> {
  // Every run starts from the same state: empty nodes.
  await Promise.all(fleet.nodes.map((node) => node.flush()));
  const urls = fleet.urls.slice(0, nodeCount);
  const job: Job = { subjectName, urls, options: { inFlight, warmUpCycles, measureMs } };
  return askOnce<Sample>(subjectName, CLIENT, job, measureMs + SPARE_MS);
}
