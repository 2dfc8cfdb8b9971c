import type { RedisFleet } from "../../src/testing/index.js";
import { Child } from "../process/child.js";
import type { Progress } from "../progress.js";
import type { ClientJob } from "./client.js";
import { nameOf, type Feature, type FeaturesPlan } from "./plan.js";
import type { FeaturesSample } from "./sample.js";
import type { UserJob } from "./user.js";

const CLIENT = new URL("client.js", import.meta.url);
const USER = new URL("user.js", import.meta.url);

/** Time for starting, ms, in addition to the measurement. */
const SPARE_MS = 60_000;

/** Samples of one feature, one per round. */
export interface FeaturesSeries {
  readonly feature: Feature;
  readonly samples: FeaturesSample[];
}

export const featuresSteps = ({ features, rounds }: FeaturesPlan): number =>
  rounds * features.length;

export async function runFeaturesPart(
  plan: FeaturesPlan,
  fleet: RedisFleet,
  progress: Progress,
): Promise<FeaturesSeries[]> {
  const { features, rounds, nodeCount } = plan;
  const series = features.map((feature): FeaturesSeries => ({ feature, samples: [] }));
  const halves = [
    fleet.urls.slice(0, nodeCount / 2),
    fleet.urls.slice(nodeCount / 2, nodeCount),
  ] as const;
  for (let round = 0; round < rounds; round++) {
    for (const { feature, samples } of series) {
      progress.step(`beside: ${feature}, round ${round + 1}/${rounds}`);
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      // Servers differ a little.
      const [plainUrls, usedUrls] = round % 2 === 0 ? halves : ([halves[1], halves[0]] as const);
      samples.push(await runOnce(plan, feature, plainUrls, usedUrls));
    }
  }
  return series;
}

async function runOnce(
  { workerCount, warmUpMs, sliceMs, sliceCount }: FeaturesPlan,
  feature: Feature,
  plainUrls: readonly string[],
  usedUrls: readonly string[],
): Promise<FeaturesSample> {
  await using user = new Child("user", USER);
  await using client = new Child("client", CLIENT);
  const ownNames = Array.from({ length: workerCount }, (_, worker) => nameOf(worker));
  const use: UserJob = { urls: usedUrls, feature, ownNames };
  await user.ask(use, SPARE_MS);
  const job: ClientJob = {
    ...{ plainUrls, usedUrls, feature },
    ...{ workerCount, warmUpMs, sliceMs, sliceCount },
  };
  return await client.ask<FeaturesSample>(job, 2 * (warmUpMs + sliceMs * sliceCount) + SPARE_MS);
}
