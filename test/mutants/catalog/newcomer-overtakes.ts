import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "newcomer-overtakes",
  title: "a newcomer asks at once, also where it must not come before those who wait",
  seenIn: "locks whose queue only those join who have been refused",
  file: "src/coordinator/pending-acquire.js",
  find: "if (!isContended && !wait.fair)",
  replace: "if (true)",
  where: ["calm", "network"],
  killer: ["W1"],
  seedBudget: 200,
  killedBy: { where: 1, seed: 78 },
};
