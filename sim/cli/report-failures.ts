import { generateScenario } from "../generate.js";
import type { Profile } from "../profiles.js";
import type { Scenario } from "../scenario.js";
import { shrink } from "../shrink.js";
import { simulate } from "../simulate.js";
import { saveFailure } from "./failure-file.js";
import { failureLine, type Failure } from "./tally.js";

/** How many failures are shrunk and saved: the tenth of a kind says no more than the first. */
const KEPT_COUNT = 3;

/** Reports each failure, and saves the smallest scenario for the first ones. */
export async function reportFailures(failures: readonly Failure[], outDir: string): Promise<void> {
  for (const [index, failure] of failures.entries()) {
    console.log(failureLine(failure));
    const { profile, seed, first } = failure;
    if (index >= KEPT_COUNT) continue;
    const scenario = generateScenario(seed, profile as Profile);
    const stillFails = async (candidate: Scenario): Promise<boolean> => {
      const { violations } = await simulate(candidate, { oracles: [first.id] });
      return violations.some(({ id }) => id === first.id);
    };
    const smallest = await shrink(scenario, stillFails);
    const { violations } = await simulate(smallest, { oracles: [first.id] });
    const violated = violations.find(({ id }) => id === first.id) ?? first;
    const path = saveFailure(outDir, { violated, scenario: smallest });
    const size = ({ faults, workload, clients }: Scenario): string =>
      `${faults.length} faults, ${workload.length} sessions, ${clients.length} clients`;
    console.log(`  ${size(scenario)}; with the same failure: ${size(smallest)}`);
    console.log(`  npm run replay -- ${path}`);
  }
}
