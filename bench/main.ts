// Entry point of the bench; started by `npm run bench`.
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { givenArguments } from "./given-arguments.js";
import { measure } from "./measure.js";
import { publish, readResults, resultsDir } from "./publish.js";
import { report } from "./report.js";
import type { Results } from "./results.js";

async function main({ plan, isForProject, isReportOnly }: Arguments): Promise<void> {
  let results: Results = isReportOnly ? readResults() : {};
  // Part by part, so that a long run that fails does not lose what it has measured.
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

const given = givenArguments(parseArguments, USAGE);
try {
  await main(given);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
