import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lock-delay-released",
  title: "a loss deletes the keys although the name is to stay closed",
  seenIn: "one way to end a lock, whatever ended it",
  file: "src/coordinator/lease.js",
  find: "if (!this.settings.lockDelayMs)",
  replace: "",
  where: ["delays"],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 11 },
};
