import { RedisFleet } from "../src/testing/index.js";
import { coldSteps, runColdPart } from "./cold/run.js";
import { contendedSteps, runContendedPart } from "./contended/run.js";
import { environmentOf } from "./environment.js";
import { faultsSteps, runFaultsPart } from "./faults/run.js";
import { heldSteps, runHeldPart } from "./held/run.js";
import { nodeCountOf, type Plan } from "./plan.js";
import { Progress, type ProgressStream } from "./progress.js";
import type { Results } from "./results.js";
import { runUncontendedPart, uncontendedSteps } from "./uncontended/run.js";
import { runWaitedPart, waitedSteps } from "./waited/run.js";

/** Runs all parts of the plan on one fleet, one after the other. */
export async function measure(
  plan: Plan,
  stream: ProgressStream = process.stderr,
): Promise<Results> {
  const { uncontended, contended, faults, held, waited, cold } = plan;
  await using fleet = await RedisFleet.start({ nodes: nodeCountOf(plan) });
  const progress = new Progress(
    (uncontended === undefined ? 0 : uncontendedSteps(uncontended)) +
      (contended === undefined ? 0 : contendedSteps(contended)) +
      (faults === undefined ? 0 : faultsSteps(faults)) +
      (held === undefined ? 0 : heldSteps(held)) +
      (waited === undefined ? 0 : waitedSteps(waited)) +
      (cold === undefined ? 0 : coldSteps(cold)),
    stream,
  );
  const results: Results = {
    date: new Date().toISOString(),
    environment: await environmentOf(fleet),
    plan,
    uncontended:
      uncontended === undefined ? [] : await runUncontendedPart(uncontended, fleet, progress),
    contended: contended === undefined ? [] : await runContendedPart(contended, fleet, progress),
    held: held === undefined ? [] : await runHeldPart(held, fleet, progress),
    waited: waited === undefined ? [] : await runWaitedPart(waited, fleet, progress),
    cold: cold === undefined ? [] : await runColdPart(cold, fleet, progress),
    // Last: it leaves servers behind that were killed and started again.
    faults: faults === undefined ? [] : await runFaultsPart(faults, fleet, progress),
  };
  progress.clear();
  return results;
}
