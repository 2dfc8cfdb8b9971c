import { hashText, seededRandom } from "./random.js";
import type { Fault, Scenario } from "./scenario.js";

/** The same scenario, with nodes whose messages reach, through a replica, who does not listen to them any more. */
export function withRelays(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "relays"));
  const { chaosMs, nodeCount } = scenario;
  const all = Array.from({ length: nodeCount }, (_, node) => node);
  const relays = Array.from({ length: random.between(0, 3) }).flatMap((): Fault[] => {
    const [atMs, forMs] = [random.below(chaosMs), random.between(100, 3_000)];
    const nodes = random.chance(50) ? all : [random.below(nodeCount)];
    return nodes.map((node) => ({ kind: "relay", atMs, node, forMs }));
  });
  const faults = [...scenario.faults, ...relays].toSorted((a, b) => a.atMs - b.atMs);
  return { ...scenario, faults };
}
