import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lock-delay-released",
  title: "a loss deletes the keys although the name must stay closed",
  seenIn: "one way to end a lock, for every reason",
  file: "src/coordinator/lease.js",
  find: "if (!this.settings.lockDelayMs)",
  replace: "",
  where: ["delays"],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 11 },
};
