import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { RedisFleet } from "../../src/testing/index.js";
import { askOnce } from "../process/child.js";
import type { Progress } from "../progress.js";
import { cellName, type Cell } from "../uncontended/cell.js";
import type { ColdJob } from "./client.js";
import type { ColdLibrary, ColdPlan } from "./plan.js";
import type { ColdSample } from "./sample.js";

const CLIENT = new URL("client.js", import.meta.url);

/** Time limit of one process, ms. */
const LIMIT_MS = 120_000;

/** Samples of one library in one cell, one per round. */
export interface ColdSeries {
  readonly cell: Cell;
  readonly library: ColdLibrary;
  readonly samples: ColdSample[];
}

export const coldSteps = ({ cells, libraries, rounds }: ColdPlan): number =>
  rounds * cells.length * libraries.length;

/** Builds the package as published: importing hundreds of separate modules would cost more than the code does. */
export async function runColdPart(
  { cells, libraries, cycleCount, rounds }: ColdPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<ColdSeries[]> {
  // Inside the project, so that its dependencies can be resolved.
  mkdirSync(".tmp", { recursive: true });
  const out = mkdtempSync(join(".tmp", "cold-package-"));
  try {
    execFileSync(process.execPath, [join("scripts", "build.mjs"), "--out", out]);
    const quorateUrl = pathToFileURL(resolve(out, "index.js")).href;
    const series = cells.flatMap((cell) =>
      libraries.map((library): ColdSeries => ({ cell, library, samples: [] })),
    );
    for (let round = 0; round < rounds; round++) {
      for (const { cell, library, samples } of series) {
        progress.step(`cold ${library}, ${cellName(cell)}, round ${round + 1}/${rounds}`);
        await Promise.all(fleet.nodes.map((node) => node.flush()));
        const urls = fleet.urls.slice(0, cell.nodeCount);
        const { inFlight } = cell;
        const job: ColdJob = { library, quorateUrl, urls, inFlight, cycleCount };
        samples.push(await askOnce<ColdSample>(`cold ${library}`, CLIENT, job, LIMIT_MS));
      }
    }
    return series;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
