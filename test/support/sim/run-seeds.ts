import type { OracleId, Violation } from "../../../sim/oracles/history.js";
import { coverageOf, SOMETIMES, type Coverage } from "../../../sim/oracles/coverage.js";
import { generateScenario } from "../../../sim/generate.js";
import type { Profile } from "../../../sim/profiles.js";
import { smallestMarginUs } from "../../../sim/oracles/margin.js";
import { simulate } from "../../../sim/simulate.js";

export interface SeedsResult {
  /** Seeds with their first violation each. */
  readonly failures: readonly string[];
  readonly ids: ReadonlySet<OracleId>;
  readonly coverage: Coverage;
  readonly marginUs: number;
}

export interface SeedsOptions {
  readonly oracles?: readonly OracleId[];
  /** Goes on until this oracle has fired. */
  readonly until?: OracleId;
}

/** Runs the scenarios of a range of seeds, one after the other. */
export async function runSeeds(
  profile: Profile,
  firstSeed: number,
  count: number,
  { oracles, until }: SeedsOptions = {},
): Promise<SeedsResult> {
  const failures: string[] = [];
  const ids = new Set<OracleId>();
  const coverage = Object.fromEntries(SOMETIMES.map((what) => [what, 0])) as {
    [What in (typeof SOMETIMES)[number]]: number;
  };
  let marginUs = Number.POSITIVE_INFINITY;
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const result = await simulate(generateScenario(seed, profile), { ...(oracles && { oracles }) });
    const seen = coverageOf(result.history);
    for (const what of SOMETIMES) coverage[what] += seen[what];
    marginUs = Math.min(marginUs, smallestMarginUs(result.history));
    for (const { id } of result.violations) ids.add(id);
    const [first] = result.violations;
    if (first !== undefined) failures.push(`${profile} seed ${seed}: ${show(first)}`);
    if (until !== undefined && ids.has(until)) break;
  }
  return { failures, ids, coverage, marginUs };
}

function show({ id, atUs, message }: Violation): string {
  return `${id} at ${(atUs / 1_000).toFixed(3)}: ${message}`;
}
