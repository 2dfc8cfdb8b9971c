import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plotsOf } from "./plots/index.js";
import { withFigures } from "./quotes.js";
import { report } from "./report.js";
import type { Results } from "./results.js";

const RESULTS_DIR = join("bench", "results");

/** For rough figures, which must not replace the published ones. */
const ROUGH_DIR = join(".tmp", "bench-results");

/** Paths of server programs on this machine are private. */
const withoutPaths = (key: string, value: unknown): unknown =>
  key === "binaries" ? undefined : value;

export const resultsDir = (isForProject: boolean): string =>
  isForProject ? RESULTS_DIR : ROUGH_DIR;

/** Pages that may quote results. */
const pages = (): string[] => [
  "README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

/** Reads `latest.json`. */
export function parseResults(text: string): Results {
  // JSON cannot express NaN, which stands for figures that a subject does not have.
  return JSON.parse(text, (_, value: unknown) => value ?? Number.NaN) as Results;
}

/** The published results, read from the repository's root. */
export function readResults(): Results {
  const file = join(RESULTS_DIR, "latest.json");
  return existsSync(file) ? parseResults(readFileSync(file, "utf8")) : {};
}

/**
 * Writes data, report and plots. The project's own results replace the published ones of the same parts, and the
 * pages that quote them are updated.
 */
export function publish(results: Results, isForProject: boolean): void {
  const dir = resultsDir(isForProject);
  const all = isForProject ? { ...readResults(), ...results } : results;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "latest.json"), `${JSON.stringify(all, withoutPaths, 1)}\n`);
  writeFileSync(join(dir, "latest.md"), report(all));
  for (const { file, svg } of plotsOf(all)) writeFileSync(join(dir, file), svg);
  if (!isForProject) return;
  for (const file of pages()) {
    const page = readFileSync(file, "utf8");
    const filled = withFigures(page, all);
    if (filled !== page) writeFileSync(file, filled);
  }
}
