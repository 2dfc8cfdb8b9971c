import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "attempt-outlives-preemption",
  title: "an attempt in flight when its process stole the name is granted after all",
  seenIn: "steal that considers holders, but not pending acquires",
  file: "src/coordinator/preemption.js",
  find: "pending.yieldTo(lockKey);",
  replace: "void 0;",
  where: ["steal"],
  killer: ["S1", "S2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 324 },
};
