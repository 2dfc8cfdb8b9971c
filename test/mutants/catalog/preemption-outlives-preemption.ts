import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "preemption-outlives-preemption",
  title: "the first of two steals in a process keeps trying after the second",
  seenIn: "steal that preempts holders and waiters, but not other steals",
  file: "src/coordinator/preemption.js",
  find: "if (this.#isOver || lockKey !== this.keys.lockKey)",
  replace: "if (true)",
  where: ["steal"],
  killer: ["S1", "S2"],
  seedBudget: 1_500,
  killedBy: { where: 0, seed: 2 },
};
