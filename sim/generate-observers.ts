import { hashText, seededRandom } from "./random.js";
import type { Scenario, Session } from "./scenario.js";

/** Profiles in which some services observe names, and leaders say something of themselves. */
const OBSERVED: readonly string[] = ["calm", "network", "crash", "election", "pause"];

/** The same scenario with services that observe names. */
export function withObservers(scenario: Scenario): Scenario {
  const { seed, profile, workload, clients, chaosMs } = scenario;
  const random = seededRandom(hashText(seed, `observers ${profile}`));
  const [first] = workload;
  if (first === undefined || !OBSERVED.includes(profile) || !random.chance(40)) return scenario;
  const observers = Array.from({ length: random.between(1, 3) }, (): Session => {
    const about = { atMs: random.below(chaosMs), client: random.below(clients.length) };
    const { name } = random.oneOf(workload);
    const nothing = { waitMs: 0, holdMs: 0, writeCount: 0, extendCount: 0 } as const;
    const observeMs = random.between(100, chaosMs);
    const sleepMs = random.oneOf([0, 0, 1, 300, 3_000]);
    return { ...about, name, ...nothing, release: "once", observe: { forMs: observeMs, sleepMs } };
  });
  const told = workload.map((session) =>
    session.termCount !== undefined && random.chance(70)
      ? { ...session, proclaimCount: random.between(1, 4) }
      : session,
  );
  // After healing, clients contend for what the first session wants.
  const [leading, ...rest] = told;
  const others = [...rest, ...observers].toSorted((a, b) => a.atMs - b.atMs);
  return { ...scenario, workload: [leading ?? first, ...others] };
}
