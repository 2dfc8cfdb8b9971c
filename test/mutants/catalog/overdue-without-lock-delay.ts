import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "overdue-without-lock-delay",
  title: "a name with a lock-delay is overdue when the lock is",
  seenIn: "a lock-delay that the next client does not know",
  file: "src/coordinator/attempt.js",
  find: "keptMs(settings)",
  replace: "settings.ttlMs",
  where: ["steps"],
  killer: ["D1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 32 },
};
