import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "giver-believes-on",
  title: "who gives its lock to another process goes on believing in it",
  seenIn: "a lock that can be serialised and stays a lock",
  file: "src/coordinator/lease.js",
  find: "this.isGiven = true;",
  replace: 'this.isGiven = true;\n        this.#state = "held";',
  where: ["adoption"],
  killer: ["S6"],
  seedBudget: 60,
  killedBy: { where: 0, seed: 1 },
};
