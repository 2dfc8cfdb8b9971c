import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-rollback",
  title: "a lost attempt leaves its keys where they were granted",
  seenIn: "implementations that wait for the ttl instead",
  file: "src/coordinator/attempt.js",
  find: "isRolledBack = false;",
  replace: "isRolledBack = true;",
  where: ["calm", "network"],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 14 },
};
