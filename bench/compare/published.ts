import type { Job } from "./job.js";
import { page } from "./report.js";
import type { Run } from "./run-all.js";
import { SCENARIOS } from "./scenarios/index.js";
import type { Observation } from "./scenarios/scenario.js";
import { SUBJECT_IDS } from "./subjects/index.js";
import type { Versions } from "./versions.js";

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

/** The page that shows it. */
export function pageOf({ versions, results }: Published): string {
  const runs = results.map((result) => ({ job: result, observation: result }));
  return page(SCENARIOS, SUBJECT_IDS, runs, versions);
}
