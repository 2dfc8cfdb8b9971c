import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Picture } from "../../pictures/index.js";
import { HEAT_MAP, heatMap, heatMapInWords } from "./heat-map.js";
import type { Job } from "./job.js";
import { observedIn } from "./report.js";
import type { Run } from "./run-all.js";
import { SCENARIOS } from "./scenarios/index.js";
import type { Observation } from "./scenarios/scenario.js";
import { SUBJECT_IDS } from "./subjects/index.js";
import type { Versions } from "./versions.js";

/** The published comparison. */
export const DATA = join("bench", "results", "compare.json");

/** Its content. */
export interface Comparison {
  readonly versions: Versions;
  readonly results: readonly (Job & Observation)[];
}

/** Reads it, from the repository's root. */
export function readComparison(): Comparison {
  return JSON.parse(readFileSync(DATA, "utf8")) as Comparison;
}

export function runsIn({ results }: Comparison): Run[] {
  return results.map(({ cell, facts, ...job }) => ({ job, observation: { cell, facts } }));
}

/** The picture of the published runs. */
export function comparisonChart(): Picture {
  const given = [SCENARIOS, SUBJECT_IDS, observedIn(runsIn(readComparison()))] as const;
  return { file: HEAT_MAP, alt: heatMapInWords(...given), svg: heatMap(...given) };
}
