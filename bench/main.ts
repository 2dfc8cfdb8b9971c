// Entry of the bench; started by `npm run bench`.
import { parseArguments, USAGE, type Arguments } from "./arguments.js";
import { measure } from "./measure.js";
import { publish, readResults } from "./publish.js";
import { report } from "./report.js";

async function main({ plan, isComplete, isReportOnly }: Arguments): Promise<void> {
  const results = isReportOnly ? readResults() : await measure(plan);
  const dir = publish(results, isReportOnly || isComplete);
  console.log(report(results));
  console.error(`written to ${dir}`);
}

let parsed: Arguments;
try {
  parsed = parseArguments(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(2);
}
await main(parsed);
