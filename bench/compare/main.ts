// Entry point of the comparison; started by `npm run compare`.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { givenArguments } from "../given-arguments.js";
import { Progress } from "../progress.js";
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { jobsOf } from "./plan.js";
import {
  comparisonChart,
  DATA,
  detailsPage,
  pageOf,
  published,
  readComparison,
  type Published,
} from "./published.js";
import { DETAILS, table } from "./report.js";
import { runAll } from "./run-all.js";
import { versions } from "./versions.js";

const PAGE = join("docs", "explain", "comparison.md");

async function main({ plan, isComplete, isReport }: Arguments): Promise<void> {
  if (isReport) {
    show(readComparison());
    return;
  }
  const { scenarios, subjectIds } = plan;
  const jobs = jobsOf(plan);
  const progress = new Progress(jobs.length);
  const runs = await runAll(jobs, progress);
  progress.clear();
  console.log(table(scenarios, subjectIds, runs));
  if (runs.some(({ observation }) => observation === undefined)) process.exitCode = 1;
  else if (isComplete) {
    show(published(runs, versions()));
    console.error(`written to ${PAGE} and ${DATA}`);
  }
}

/** Writes the data, the pages and the picture. */
function show(results: Published): void {
  write(DATA, `${JSON.stringify(results, undefined, 1)}\n`);
  write(PAGE, pageOf(results));
  write(DETAILS, detailsPage());
  const { file, svg } = comparisonChart(results);
  write(file, svg);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

await main(givenArguments(parseArguments, USAGE));
