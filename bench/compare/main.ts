// Entry point of the comparison; started by `npm run compare`.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { givenArguments } from "../given-arguments.js";
import { Progress } from "../progress.js";
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { jobsOf } from "./plan.js";
import { comparisonChart, DATA } from "./published.js";
import { page, table } from "./report.js";
import { runAll } from "./run-all.js";
import { versions } from "./versions.js";

const PAGE = join("docs", "explain", "comparison.md");

async function main({ plan, isComplete }: Arguments): Promise<void> {
  const { scenarios, subjectIds } = plan;
  const jobs = jobsOf(plan);
  const progress = new Progress(jobs.length);
  const runs = await runAll(jobs, progress);
  progress.clear();
  console.log(table(scenarios, subjectIds, runs));
  if (runs.some(({ observation }) => observation === undefined)) process.exitCode = 1;
  else if (isComplete) {
    const seen = versions();
    const results = runs.map(({ job, observation }) => ({ ...job, ...observation }));
    write(PAGE, page(scenarios, subjectIds, runs, seen));
    write(DATA, `${JSON.stringify({ versions: seen, results }, undefined, 1)}\n`);
    const { file, svg } = comparisonChart();
    write(file, svg);
    console.error(`written to ${PAGE} and ${DATA}`);
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

await main(givenArguments(parseArguments, USAGE));
