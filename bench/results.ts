import type { Environment } from "./environment.js";
import { PARTS, type SeriesOf } from "./parts.js";
import { PART_NAMES, type PartName, type Plans } from "./plan.js";
import type { Verdict } from "./verdict.js";

/** The measurements of one part, with when, where and how they were made. */
export interface Measured<Name extends PartName> {
  readonly date: string;
  readonly environment: Environment;
  readonly plan: Plans[Name];
  readonly series: readonly SeriesOf[Name][];
}

/** The content of `latest.json`. Each part may be from a different run; a missing part was not measured. */
export type Results = { readonly [Name in PartName]?: Measured<Name> };

/** Stands in for figures. */
export const NOT_MEASURED = "Not measured yet.";

/** None if the part was not measured. */
export function seriesIn<Name extends PartName>(
  results: Results,
  name: Name,
): readonly SeriesOf[Name][] {
  return results[name]?.series ?? [];
}

/** The verdicts on every figure that has a target. */
export function verdictsOf(results: Results): Verdict[] {
  const ofPart = <Name extends PartName>(name: Name, measured?: Measured<Name>): Verdict[] =>
    measured === undefined ? [] : PARTS[name].verdicts(measured.series);
  return PART_NAMES.flatMap((name) => ofPart(name, results[name]));
}
