import type { Environment } from "./environment.js";
import { PARTS, type SeriesOf } from "./parts.js";
import { PART_NAMES, type PartName, type Plans } from "./plan.js";
import type { Verdict } from "./verdict.js";

/** What one part measured, and when, where and how. */
export interface Measured<Name extends PartName> {
  readonly date: string;
  readonly environment: Environment;
  readonly plan: Plans[Name];
  readonly series: readonly SeriesOf[Name][];
}

/** As it is in `latest.json`, part by part: each may be of a run of its own. One that is missing was not measured. */
export type Results = { readonly [Name in PartName]?: Measured<Name> };

/** In the place of figures. */
export const NOT_MEASURED = "Not measured yet.";

/** None where the part was not measured. */
export function seriesIn<Name extends PartName>(
  results: Results,
  name: Name,
): readonly SeriesOf[Name][] {
  return results[name]?.series ?? [];
}

/** Every figure that has a target. */
export function verdictsOf(results: Results): Verdict[] {
  const ofPart = <Name extends PartName>(name: Name, measured?: Measured<Name>): Verdict[] =>
    measured === undefined ? [] : PARTS[name].verdicts(measured.series);
  return PART_NAMES.flatMap((name) => ofPart(name, results[name]));
}
