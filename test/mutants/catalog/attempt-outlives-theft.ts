import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "attempt-outlives-theft",
  title: "an attempt that was under way when its process stole the name is granted after all",
  seenIn: "steal that looks at those who hold, and not at those who are about to",
  file: "src/coordinator/stealing.js",
  find: "pending.giveWay(lockKey);",
  replace: "void 0;",
  where: ["steal"],
  killer: ["S1", "S2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 324 },
};
