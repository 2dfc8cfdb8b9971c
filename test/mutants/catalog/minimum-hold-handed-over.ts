import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "minimum-hold-handed-over",
  title: "a lock whose name must stay closed is handed over within its process",
  seenIn: "two exits, one of which knows the rule",
  file: "src/coordinator/lease.js",
  find: " || this.#minimumHold?.keepMs !== undefined",
  replace: "",
  where: ["delays"],
  killer: ["D2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 3 },
};
