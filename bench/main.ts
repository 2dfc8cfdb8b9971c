// Entry of the bench; started by `npm run bench`.
import { join } from "node:path";
import { RedisFleet } from "../src/testing/index.js";
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { CONTENDED_SUBJECTS } from "./contended/contention.js";
import { runContention } from "./contended/run-contention.js";
import { environmentOf } from "./environment.js";
import { Progress } from "./progress.js";
import { ratiosOf } from "./ratios.js";
import { report, writeResults, type Results } from "./results.js";
import { runPlan } from "./rounds.js";

const RESULTS_DIR = join("bench", "results");
/** Partial runs must not replace numbers that may be quoted. */
const PARTIAL_DIR = join(".tmp", "bench-results");

async function main({ plan, subjectNames, isComplete, isContended }: Arguments): Promise<void> {
  const nodeCount = isContended ? 5 : Math.max(...plan.cells.map((cell) => cell.nodeCount));
  await using fleet = await RedisFleet.start({ nodes: nodeCount });
  const contendedCount = isContended ? CONTENDED_SUBJECTS.length : 0;
  const jobCount = plan.cells.length * subjectNames.length + contendedCount;
  const progress = new Progress(plan.rounds * jobCount);
  const series = await runPlan(plan, subjectNames, fleet, progress);
  const contended = isContended
    ? await runContention(plan.contention, plan.rounds, fleet, progress)
    : [];
  progress.clear();
  const results: Results = {
    date: new Date().toISOString(),
    environment: await environmentOf(fleet),
    plan,
    series,
    ratios: ratiosOf(series),
    contended,
  };
  writeResults(isComplete ? RESULTS_DIR : PARTIAL_DIR, results);
  console.log(report(results));
}

let parsed: Arguments;
try {
  parsed = parseArguments(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(2);
}
await main(parsed);
