import { RedisFleet } from "../src/testing/index.js";
import { environmentOf, type Environment } from "./environment.js";
import { PARTS } from "./parts.js";
import { nodeCountOf, PART_NAMES, type PartName, type Plan, type Plans } from "./plan.js";
import { Progress, type ProgressStream } from "./progress.js";
import type { Measured, Results } from "./results.js";

/**
 * Runs all parts of the plan on one fleet, one after the other. A part that fails does not affect the others.
 *
 * @param onPart is called with the results of each part as soon as it is done
 * @throws AggregateError at the end, if parts failed
 */
export async function measure(
  plan: Plan,
  onPart: (results: Results) => void,
  stream: ProgressStream = process.stderr,
): Promise<void> {
  await using fleet = await RedisFleet.start({ nodes: nodeCountOf(plan) });
  const environment = await environmentOf(fleet);
  const names = PART_NAMES.filter((name) => plan[name] !== undefined);
  const total = names.reduce((sum, name) => sum + stepsOf(name, plan[name]), 0);
  const progress = new Progress(total, stream);
  const failures: Error[] = [];
  for (const name of names) {
    try {
      onPart({ [name]: await measurePart(name, plan[name], fleet, environment, progress) });
    } catch (error) {
      failures.push(new Error(`the part "${name}" failed: ${String(error)}`, { cause: error }));
    }
  }
  progress.clear();
  if (failures.length > 0) {
    throw new AggregateError(failures, failures.map(({ message }) => message).join("\n"));
  }
}

const stepsOf = <Name extends PartName>(name: Name, plan: Plans[Name] | undefined): number =>
  plan === undefined ? 0 : PARTS[name].steps(plan);

async function measurePart<Name extends PartName>(
  name: Name,
  plan: Plans[Name] | undefined,
  fleet: RedisFleet,
  environment: Environment,
  progress: Progress,
): Promise<Measured<Name> | undefined> {
  if (plan === undefined) return undefined;
  const date = new Date().toISOString();
  return { date, environment, plan, series: await PARTS[name].run(plan, fleet, progress) };
}
