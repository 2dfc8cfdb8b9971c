import { FENCE_LEAD_US, MAX_FENCE } from "../src/protocol/fencing.js";
import { hashText, seededRandom } from "./random.js";
import type { Fault, Scenario } from "./scenario.js";

/**
 * Profiles in which a node may answer with fences that it does not have, and in how many percent of their runs: to those
 * who lock, and to operators.
 */
const LYING: Readonly<Partial<Record<string, number>>> = { swarm: 40, force: 20 };

/** Beyond what any clock of a run can reach, µs: they begin in 2023. */
const ABSURD = 2 * FENCE_LEAD_US + 1_700_000_000_000_000;

/**
 * The same scenario with nodes that answer with absurd fences for a while. The other answers of these nodes are true,
 * so that a lie is no worse than an error.
 */
export function withLiar(scenario: Scenario): Scenario {
  const { seed, profile, nodeCount, chaosMs, faults } = scenario;
  // A random stream of its own leaves all other draws unchanged.
  const random = seededRandom(hashText(seed, "liar"));
  const percent = LYING[profile];
  if (percent === undefined || !random.chance(percent)) return scenario;
  const node = random.below(nodeCount);
  const lies = Array.from({ length: random.between(1, 3) }, (): Fault => ({
    kind: "nodeLies",
    atMs: random.below(chaosMs),
    // Nearly always the same one: if most of them lie, there is no quorum.
    node: random.chance(90) ? node : random.below(nodeCount),
    forMs: random.between(10, 2_000),
    fence: random.oneOf([ABSURD, MAX_FENCE - 1, MAX_FENCE]),
  }));
  return { ...scenario, faults: [...faults, ...lies].toSorted((a, b) => a.atMs - b.atMs) };
}
