import { judge, type Verdict } from "../verdict.js";
import type { FeaturesSeries } from "./run.js";
import { speedWith } from "./sample.js";

/** What nobody uses, and what others use for other names, costs nothing; so many are what the measurement is exact to. */
const LEAST_SPEED = 0.98;

export function featuresVerdicts(series: readonly FeaturesSeries[]): Verdict[] {
  return series
    .filter(({ feature }) => !feature.startsWith("own"))
    .flatMap(({ feature, samples }) =>
      judge(
        `in use: ${feature}`,
        "speed / without, by CPU per cycle",
        { atLeast: LEAST_SPEED },
        samples.map(speedWith),
      ),
    );
}
