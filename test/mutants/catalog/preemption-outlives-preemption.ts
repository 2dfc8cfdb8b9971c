import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "preemption-outlives-preemption",
  title: "of two preemptors of a process the first goes on asking behind the second",
  seenIn: "steal that preempts those who hold and those who wait, and not its like",
  file: "src/coordinator/preemption.js",
  find: "if (this.#isOver || lockKey !== this.keys.lockKey)",
  replace: "if (true)",
  where: ["steal"],
  killer: ["S1", "S2"],
  seedBudget: 1_500,
  killedBy: { where: 0, seed: 2 },
};
