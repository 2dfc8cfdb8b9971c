import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "passes-a-fair-one",
  title: "one that lets others pass lets them pass the fair ones behind it, too",
  seenIn: "a queue that is sorted again",
  file: "src/coordinator/wait-queue.js",
  find: "if (isBehindFair || saysTo(",
  replace: "if (saysTo(",
  where: ["mixed"],
  killer: ["W1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 2 },
};
