import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFigures } from "./page.js";
import { plotsOf } from "./plots/index.js";
import { withSpeeds } from "./readme.js";
import { report } from "./report.js";
import type { Results } from "./results.js";

const RESULTS_DIR = join("bench", "results");

/** Partial runs must not replace numbers that may be quoted. */
const PARTIAL_DIR = join(".tmp", "bench-results");

/** Pages that quote results. */
const PAGES = [
  { file: join("docs", "performance.md"), filled: withFigures },
  { file: "README.md", filled: withSpeeds },
] as const;

/** What results have none of that were measured before there was that part. */
const LATER_PARTS = { waited: [], cold: [] } as const;

/** Reads `latest.json`; an older one lacks the parts that are newer. */
export function parseResults(text: string): Results {
  // JSON knows no NaN, which stands for what a subject does not have.
  const parsed = JSON.parse(text, (_, value: unknown) => value ?? Number.NaN) as Results;
  return { ...LATER_PARTS, ...parsed };
}

/** Of the last full run, from the repository's root. */
export const readResults = (): Results =>
  parseResults(readFileSync(join(RESULTS_DIR, "latest.json"), "utf8"));

/**
 * Writes data, report and plots, and where the results stand for the project, also the pages.
 * Returns the directory.
 */
export function publish(results: Results, isForProject: boolean): string {
  const dir = isForProject ? RESULTS_DIR : PARTIAL_DIR;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "latest.json"), `${JSON.stringify(results, undefined, 1)}\n`);
  writeFileSync(join(dir, "latest.md"), report(results));
  for (const { file, svg } of plotsOf(results)) writeFileSync(join(dir, file), svg);
  if (isForProject) {
    for (const { file, filled } of PAGES) {
      writeFileSync(file, filled(readFileSync(file, "utf8"), results));
    }
  }
  return dir;
}
