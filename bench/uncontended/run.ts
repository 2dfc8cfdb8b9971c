import { rotated } from "../numbers/rotated.js";
import { askOnce } from "../process/child.js";
import type { Progress } from "../progress.js";
import type { RedisFleet } from "../../src/testing/index.js";
import { cellName, type Cell } from "./cell.js";
import type { Job } from "./client.js";
import type { UncontendedPlan } from "./plan.js";
import type { Sample } from "./sample.js";

/** Samples of one subject in one cell, one per round. */
export interface CellSeries<Measured> {
  readonly cell: Cell;
  readonly subjectName: string;
  readonly samples: Measured[];
}

export type Series = CellSeries<Sample>;

const CLIENT = new URL("client.js", import.meta.url);

/** Time for starting, connecting, warming up and draining, ms, in addition to the measurement. */
const SPARE_MS = 60_000;

export const uncontendedSteps = ({ cells, rounds }: UncontendedPlan): number =>
  rounds * cells.reduce((sum, { subjectNames }) => sum + subjectNames.length, 0);

export async function runUncontendedPart(
  plan: UncontendedPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<Series[]> {
  return measureInRounds(plan, progress, (cell, subjectName) =>
    measureCell(plan, cell, subjectName, fleet),
  );
}

/**
 * Measures everything once per round. Anything that slows the machine for a while slows all subjects of a cell, so
 * figures of one round can be compared with each other.
 *
 * @param prefix of what the progress says
 */
export async function measureInRounds<Measured>(
  { cells, rounds }: Pick<UncontendedPlan, "cells" | "rounds">,
  progress: Progress,
  measureOne: (cell: Cell, subjectName: string) => Promise<Measured>,
  prefix = "",
): Promise<CellSeries<Measured>[]> {
  const all = cells.map(({ cell, subjectNames }) =>
    subjectNames.map((subjectName): CellSeries<Measured> => ({ cell, subjectName, samples: [] })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { cell, subjectName, samples } of all.flatMap((one) => rotated(one, round))) {
      progress.step(`${prefix}${cellName(cell)}, round ${round + 1}/${rounds}: ${subjectName}`);
      samples.push(await measureOne(cell, subjectName));
    }
  }
  return all.flat();
}

/**
 * One subject in one cell, in a separate process.
 *
 * @param client its program, which takes a {@link Job}
 */
export async function measureCell<Measured = Sample>(
  { warmUpCycles, measureMs }: Pick<UncontendedPlan, "warmUpCycles" | "measureMs">,
  { nodeCount, inFlight }: Cell,
  subjectName: string,
  fleet: RedisFleet,
  client = CLIENT,
): Promise<Measured> {
  // Every run starts from the same state: empty nodes.
  await Promise.all(fleet.nodes.map((node) => node.flush()));
  const urls = fleet.urls.slice(0, nodeCount);
  const job: Job = { subjectName, urls, options: { inFlight, warmUpCycles, measureMs } };
  return askOnce<Measured>(subjectName, client, job, measureMs + SPARE_MS);
}
