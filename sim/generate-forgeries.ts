import { hashText, seededRandom } from "./random.js";
import type { Fault, Scenario } from "./scenario.js";

/** The same scenario, in half of all cases with messages that say of locks that they have ended, true or not. */
export function withForgeries(scenario: Scenario): Scenario {
  const random = seededRandom(hashText(scenario.seed, "forgeries"));
  if (random.chance(50)) return scenario;
  const { chaosMs, nodeCount } = scenario;
  const forged = Array.from({ length: random.between(1, 12) }, (): Fault => {
    const count = random.oneOf([1, 1, 2, 50]);
    return { kind: "forge", atMs: random.below(chaosMs), node: random.below(nodeCount), count };
  });
  const faults = [...scenario.faults, ...forged].toSorted((a, b) => a.atMs - b.atMs);
  return { ...scenario, faults };
}
