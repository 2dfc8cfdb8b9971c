import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "giver-believes-on",
  title: "a process that handed its lock to another still treats it as held",
  seenIn: "a lock that can be serialized and remains a lock",
  file: "src/coordinator/lease.js",
  find: "this.isGiven = true;",
  replace: 'this.isGiven = true;\n        this.#state = "held";',
  where: ["adoption"],
  killer: ["S6"],
  seedBudget: 60,
  killedBy: { where: 0, seed: 1 },
};
