import { generateScenario } from "./generate.js";
import { PROFILES } from "./profiles.js";
import { foldHash, hashText } from "./random.js";
import { simulate } from "./simulate.js";

/** Scenarios that the hash covers, alternating over all profiles. */
export const HASHED_RUN_COUNT = 200;

/**
 * One hash of many runs. It must be the same on every version of Node and every machine. A change of the
 * simulator, or of the code it runs, may change it.
 */
export async function runHash(count = HASHED_RUN_COUNT): Promise<string> {
  let hash = 0;
  for (let index = 0; index < count; index++) {
    const profile = PROFILES[index % PROFILES.length] ?? "calm";
    const { traceHash } = await simulate(generateScenario(index + 1, profile));
    hash = foldHash(hash, hashText(index, traceHash));
  }
  return hash.toString(16).padStart(8, "0");
}
