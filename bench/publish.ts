import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFigures } from "./page.js";
import { plotsOf } from "./plots/index.js";
import { withSpeeds } from "./readme.js";
import { report } from "./report.js";
import type { Results } from "./results.js";

const RESULTS_DIR = join("bench", "results");

/** Rough figures must not replace those that may be quoted. */
const ROUGH_DIR = join(".tmp", "bench-results");

/** Where this machine has its servers is nobody's business. */
const withoutPaths = (key: string, value: unknown): unknown =>
  key === "binaries" ? undefined : value;

export const resultsDir = (isForProject: boolean): string =>
  isForProject ? RESULTS_DIR : ROUGH_DIR;

/** Pages that quote results. */
const PAGES = [
  { file: join("docs", "performance.md"), filled: withFigures },
  { file: "README.md", filled: withSpeeds },
] as const;

/** Reads `latest.json`. */
export function parseResults(text: string): Results {
  // JSON knows no NaN, which stands for what a subject does not have.
  return JSON.parse(text, (_, value: unknown) => value ?? Number.NaN) as Results;
}

/** Those of the project, from the repository's root. */
export function readResults(): Results {
  const file = join(RESULTS_DIR, "latest.json");
  return existsSync(file) ? parseResults(readFileSync(file, "utf8")) : {};
}

/**
 * Writes data, report and plots. Where the results stand for the project, they replace
 * those of the same parts, and the pages are written, too.
 */
export function publish(results: Results, isForProject: boolean): void {
  const dir = resultsDir(isForProject);
  const all = isForProject ? { ...readResults(), ...results } : results;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "latest.json"), `${JSON.stringify(all, withoutPaths, 1)}\n`);
  writeFileSync(join(dir, "latest.md"), report(all));
  for (const { file, svg } of plotsOf(all)) writeFileSync(join(dir, file), svg);
  if (isForProject) {
    for (const { file, filled } of PAGES) {
      writeFileSync(file, filled(readFileSync(file, "utf8"), all));
    }
  }
}
