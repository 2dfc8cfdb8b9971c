import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { ORACLE_IDS, type OracleId } from "../oracles/history.js";
import { PROFILES, type Profile } from "../profiles.js";

export interface SimulateArguments {
  readonly runCount: number;
  readonly firstSeed: number;
  readonly profiles: readonly Profile[];
  /** The oracles that judge; undefined for those that hold in each profile. */
  readonly oracles: readonly OracleId[] | undefined;
  readonly jobCount: number;
  /** Directory in which failing scenarios are saved. */
  readonly outDir: string;
}

export const SIMULATE_USAGE = `npm run simulate -- [--runs N] [--seed S] [--profile P[,P]] [--oracle ID[,ID]]
                    [--jobs N] [--out DIR] [--hash]

  --runs     scenarios in all, spread over the profiles (default 1200)
  --seed     first seed (default 1)
  --profile  any of ${PROFILES.join(", ")}
             (default: all)
  --oracle   only these promises are judged, also where they are not promised
             (default: all that hold in the profile)
  --jobs     worker processes (default 2)
  --out      where failing scenarios go (default .tmp/failures)
  --hash     only print a hash of 7 runs of each profile, and one of all; they are the same on every machine

Ends with 0 if all is well, 1 if safety was violated, 2 if only liveness was, 3 if the campaign itself
went wrong or never met something that it ought to meet, 130 if Ctrl-C ended it before it found
anything.`;

/** @throws RangeError or TypeError that names the argument. */
export function parseSimulateArguments(argv: readonly string[]): SimulateArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      runs: { type: "string", default: "1200" },
      seed: { type: "string", default: "1" },
      profile: { type: "string", default: PROFILES.join() },
      oracle: { type: "string" },
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
  const oracles = values.oracle?.split(",").map((given) => {
    const oracle = ORACLE_IDS.find((known) => known === given);
    if (oracle === undefined) {
      throw new RangeError(`--oracle must be of ${ORACLE_IDS.join(", ")}, got ${given}`);
    }
    return oracle;
  });
  return {
    runCount: countOf("--runs", values.runs, 1),
    firstSeed: countOf("--seed", values.seed, 0),
    profiles,
    oracles,
    jobCount: countOf("--jobs", values.jobs, 1),
    outDir: directoryOf("--out", values.out),
  };
}

/** It is made once something is written: what is there so far must allow that, before hours of runs. */
function directoryOf(name: string, given: string): string {
  const isOther = statSync(given, { throwIfNoEntry: false })?.isDirectory() === false;
  if (isOther) throw new RangeError(`${name} must be a directory, got the file ${given}`);
  return given;
}

function countOf(name: string, given: string, min: number): number {
  const count = Number(given);
  if (Number.isSafeInteger(count) && count >= min) return count;
  throw new RangeError(`${name} must be an integer of at least ${min}, got ${given}`);
}
