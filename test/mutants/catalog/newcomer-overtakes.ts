import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "newcomer-overtakes",
  title: "a new request asks immediately, even where it must wait its turn",
  seenIn: "queues that are joined only after a refusal",
  file: "src/coordinator/pending-acquire.js",
  find: "if (!isContended && !wait.fair)",
  replace: "if (true)",
  where: ["calm", "network"],
  killer: ["W1"],
  seedBudget: 200,
  killedBy: { where: 1, seed: 78 },
};
