import { parseArgs } from "node:util";
import { PROFILES, type Profile } from "../profiles.js";

export interface SimulateArguments {
  readonly runCount: number;
  readonly firstSeed: number;
  readonly profiles: readonly Profile[];
  readonly jobCount: number;
  /** Where failing scenarios are kept. */
  readonly outDir: string;
}

export const SIMULATE_USAGE = `npm run simulate -- [--runs N] [--seed S] [--profile P[,P]] [--jobs N] [--out DIR]

  --runs     scenarios in all, spread over the profiles (default 1200)
  --seed     first seed (default 1)
  --profile  any of ${PROFILES.join(", ")}
             (default: all)
  --jobs     worker processes (default 2)
  --out      where failing scenarios go (default .tmp/failures)
  --hash     only print one number for 200 runs, which is the same on every machine

Ends with 0 if all is well, 1 if safety was violated, 2 if liveness was, 3 if the campaign itself
went wrong, or never met something that it ought to meet.`;

/** @throws RangeError or TypeError that names the argument. */
export function parseSimulateArguments(argv: readonly string[]): SimulateArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: "string", default: "1200" },
      seed: { type: "string", default: "1" },
      profile: { type: "string", default: PROFILES.join() },
      jobs: { type: "string", default: "2" },
      out: { type: "string", default: ".tmp/failures" },
    },
  });
  const profiles = values.profile.split(",").map((given) => {
    const profile = PROFILES.find((known) => known === given);
    if (profile === undefined) {
      throw new RangeError(`--profile must be of ${PROFILES.join(", ")}, got ${given}`);
    }
    return profile;
  });
  return {
    runCount: countOf("--runs", values.runs, 1),
    firstSeed: countOf("--seed", values.seed, 0),
    profiles,
    jobCount: countOf("--jobs", values.jobs, 1),
    outDir: values.out,
  };
}

function countOf(name: string, given: string, min: number): number {
  const count = Number(given);
  if (Number.isSafeInteger(count) && count >= min) return count;
  throw new RangeError(`${name} must be a whole number of at least ${min}, got ${given}`);
}
