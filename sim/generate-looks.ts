import { hashText, seededRandom } from "./random.js";
import type { Scenario, Session } from "./scenario.js";

/** Profiles in which some services query names. */
const LOOKING: readonly string[] = ["pause", "datagram", "bursts"];

/** The same scenario with services that query names, and some that wait until they can lock. */
export function withLooks(scenario: Scenario): Scenario {
  const { seed, profile, workload, clients, chaosMs } = scenario;
  const random = seededRandom(hashText(seed, `looks ${profile}`));
  const [first] = workload;
  if (first === undefined || !LOOKING.includes(profile) || !random.chance(80)) return scenario;
  const looks = Array.from({ length: random.between(1, 4) }, (): Session => {
    const about = { atMs: random.below(chaosMs), client: random.below(clients.length) };
    const { name } = random.oneOf(workload);
    const nothing = { waitMs: 0, holdMs: 0, writeCount: 0, extendCount: 0 } as const;
    return { ...about, name, ...nothing, release: "once", isLook: true };
  });
  // After healing, clients contend for what the first session wants.
  const others = [...workload.slice(1), ...looks].toSorted((a, b) => a.atMs - b.atMs);
  return {
    ...scenario,
    workload: [first, ...others],
    clients: clients.map((client) =>
      random.chance(60) ? { ...client, readyMs: random.between(1, 3_000) } : client,
    ),
  };
}
