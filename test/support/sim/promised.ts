import { FORCED_PROFILES, MODEL_PROFILES, type Profile } from "../../../sim/profiles.js";
import type { Scenario } from "../../../sim/scenario.js";
import { howMany } from "../long.js";

/** Scenarios a profile: enough for a commit; long campaigns are run apart. */
export const RUN_COUNT = howMany(20, 76);

/** Each of them takes as long as so many of the others, or has to be looked at that much more often: few drop-ins lose a lock. */
const COST: Readonly<Partial<Record<Profile, number>>> = {
  ...{ bursts: 4, mixed: 4, waiting: 3, owners: 2 },
  "drop-in": 0.5,
};

/** In how many scenarios of a profile, from seed 1 on, the test of the promises looks for a broken one. */
export function promisedCount(profile: Profile): number {
  return Math.ceil(RUN_COUNT / (COST[profile] ?? 1));
}

const PROMISED: readonly unknown[] = [...MODEL_PROFILES, ...FORCED_PROFILES];

/**
 * Whether the test of the promises runs this very scenario and fails if any oracle of its profile fires.
 *
 * @param place one that is no profile is not generated, and not run there
 */
export function isPromised(place: Profile | Scenario, seed: number, timing = seed): boolean {
  if (typeof place !== "string" || !PROMISED.includes(place)) return false;
  return timing === seed && seed >= 1 && seed <= promisedCount(place);
}
