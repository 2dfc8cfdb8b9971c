import { generateScenario } from "./generate.js";
import { PROFILES, type Profile } from "./profiles.js";
import { foldHash, hashText } from "./random.js";
import { simulate } from "./simulate.js";

/** Runs of each profile that the hash covers. */
export const HASHED_RUNS_A_PROFILE = 7;

/**
 * One hash of the first runs of each profile: of their calls, messages and times. They must be the same on every
 * version of Node and every machine. Code that is only moved leaves them as they are; a change of what a run does
 * changes those of the profiles in which it does it. A profile that comes or goes leaves those of the others.
 */
export async function runHashes(
  count = HASHED_RUNS_A_PROFILE,
  profiles: readonly Profile[] = PROFILES,
): Promise<Map<Profile, string>> {
  const hashes = new Map<Profile, string>();
  for (const profile of profiles) {
    let hash = 0;
    for (let seed = 1; seed <= count; seed++) {
      const { traceHash } = await simulate(generateScenario(seed, profile));
      hash = foldHash(hash, hashText(seed, traceHash));
    }
    hashes.set(profile, hexOf(hash));
  }
  return hashes;
}

/** One hash of those of the profiles, in whatever order they stand. */
export function totalHash(hashes: ReadonlyMap<string, string>): string {
  const lines = [...hashes].map((entry) => entry.join(" ")).toSorted();
  return hexOf(lines.reduce((hash, line) => foldHash(hash, hashText(0, line)), 0));
}

function hexOf(hash: number): string {
  return (hash >>> 0).toString(16).padStart(8, "0");
}
