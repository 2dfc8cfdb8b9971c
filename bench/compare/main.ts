// Entry point of the comparison; started by `npm run compare`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { givenArguments } from "../given-arguments.js";
import { Progress } from "../progress.js";
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { jobsOf } from "./plan.js";
import { pageOf, published, type Published } from "./published.js";
import { table } from "./report.js";
import { runAll } from "./run-all.js";
import { versions } from "./versions.js";

const PAGE = join("docs", "explain", "comparison.md");
const DATA = join("bench", "results", "compare.json");

async function main({ plan, isComplete, isReport }: Arguments): Promise<void> {
  if (isReport) {
    write(PAGE, pageOf(JSON.parse(readFileSync(DATA, "utf8")) as Published));
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
    const results = published(runs, versions());
    write(PAGE, pageOf(results));
    write(DATA, `${JSON.stringify(results, undefined, 1)}\n`);
    console.error(`written to ${PAGE} and ${DATA}`);
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

await main(givenArguments(parseArguments, USAGE));
