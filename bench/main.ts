// Entry of the bench; started by `npm run bench`.
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { measure } from "./measure.js";
import { publish, readResults, resultsDir } from "./publish.js";
import { report } from "./report.js";
import type { Results } from "./results.js";

async function main({ plan, isForProject, isReportOnly }: Arguments): Promise<void> {
  let results: Results = isReportOnly ? readResults() : {};
  // Part by part: whatever becomes of a long run, what it has measured is not lost.
  const onPart = (more: Results): void => {
    results = { ...results, ...more };
    publish(results, isForProject);
  };
  try {
    if (isReportOnly) onPart({});
    else await measure(plan, onPart);
  } finally {
    console.log(report(results));
    console.error(`written to ${resultsDir(isForProject)}`);
  }
}

if (process.argv.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
let parsed: Arguments;
try {
  parsed = parseArguments(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(2);
}
try {
  await main(parsed);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
