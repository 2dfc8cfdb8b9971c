import { hashText, seededRandom } from "./random.js";
import type { Scenario, Session } from "./scenario.js";

/** Profiles in which some queues have an end. */
const WITH_ENDS: readonly string[] = [
  "calm",
  "shared",
  "waiting",
  "bursts",
  "semaphore",
  "several",
  "splits",
];

/** The same scenario with sessions that do not begin to wait where others do. */
export function withQueueEnds(scenario: Scenario): Scenario {
  const { seed, profile } = scenario;
  const random = seededRandom(hashText(seed, `queue ends ${profile}`));
  if (!WITH_ENDS.includes(profile) || !random.chance(40)) return scenario;
  const share = random.oneOf([20, 60, 90]);
  const workload = scenario.workload.map((session): Session => {
    const waits = session.waitMs > 0 && session.steal === undefined && session.dropIn === undefined;
    if (!waits || session.termCount !== undefined || !random.chance(share)) return session;
    const maxWaiters = random.oneOf([0, 1, 1, 2, 3, 5]);
    return { ...session, options: { ...session.options, maxWaiters } };
  });
  return { ...scenario, workload };
}
