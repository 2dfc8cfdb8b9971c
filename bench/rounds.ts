import type { RedisFleet } from "../src/testing/index.js";
import { cellName, type Cell, type Plan } from "./plan.js";
import type { Progress } from "./progress.js";
import { runClient } from "./run-client.js";
import type { Sample } from "./sample.js";

/** Samples of one subject in one cell, one a round. */
export interface Series {
  readonly cell: Cell;
  readonly subjectName: string;
  readonly samples: readonly Sample[];
}

/**
 * Measures all subjects in all cells on one fleet. Rounds interleave: whatever slows the machine
 * for a while slows all subjects, and a round's subjects may be compared with each other.
 */
export async function runPlan(
  plan: Plan,
  subjectNames: readonly string[],
  fleet: RedisFleet,
  progress: Progress,
): Promise<Series[]> {
  const series: Series[] = [];
  for (const cell of plan.cells) {
    const samples = new Map<string, Sample[]>(subjectNames.map((name) => [name, []]));
    for (let round = 0; round < plan.rounds; round++) {
      for (const subjectName of rotated(subjectNames, round)) {
        progress.step(`${cellName(cell)}, round ${round + 1}/${plan.rounds}: ${subjectName}`);
        samples.get(subjectName)?.push(await runOnce(plan, cell, subjectName, fleet));
      }
    }
    for (const [subjectName, list] of samples) series.push({ cell, subjectName, samples: list });
  }
  return series;
}

async function runOnce(
  plan: Plan,
  { nodeCount, inFlight }: Cell,
  subjectName: string,
  fleet: RedisFleet,
): Promise<Sample> {
  // Every run finds the same: empty nodes.
  await Promise.all(fleet.nodes.map((node) => node.flush()));
  const { warmUpMs, measureMs } = plan;
  const urls = fleet.urls.slice(0, nodeCount);
  return runClient({ subjectName, urls, options: { inFlight, warmUpMs, measureMs } });
}

/** Who goes first changes from round to round. */
export function rotated<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
