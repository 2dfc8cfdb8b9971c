import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Picture } from "../../pictures/index.js";
import { HEAT_MAP, heatMap, heatMapInWords } from "./heat-map.js";
import type { Job } from "./job.js";
import { details, page } from "./report.js";
import type { Run } from "./run-all.js";
import { SCENARIOS } from "./scenarios/index.js";
import type { Observation } from "./scenarios/scenario.js";
import { SUBJECT_IDS } from "./subjects/index.js";
import type { Versions } from "./versions.js";

/** The published comparison, from the repository's root. */
export const DATA = join("bench", "results", "compare.json");

/** What was observed the last time that everything was run: the content of `bench/results/compare.json`. */
export interface Published {
  readonly versions: Versions;
  readonly results: readonly (Job & Observation)[];
}

/** @param runs none of which failed */
export function published(runs: readonly Run[], versions: Versions): Published {
  const results = runs.flatMap(({ job, observation }) =>
    observation === undefined ? [] : [{ ...job, ...observation }],
  );
  return { versions, results };
}

/** Reads it, from the repository's root. */
export function readComparison(): Published {
  return JSON.parse(readFileSync(DATA, "utf8")) as Published;
}

/** The page that shows it. */
export function pageOf({ versions, results }: Published): string {
  const runs = results.map((result) => ({ job: result, observation: result }));
  return page(SCENARIOS, SUBJECT_IDS, runs, versions);
}

/** The page that says how it was observed. */
export const detailsPage = (): string => details(SCENARIOS);

/** The picture of the page. */
export function comparisonChart({ results }: Published = readComparison()): Picture {
  const given = [SCENARIOS, SUBJECT_IDS, results] as const;
  return { file: HEAT_MAP, alt: heatMapInWords(...given), svg: heatMap(...given) };
}
