import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "election-keeps-term",
  title: "a leader that ends its term does not release the lock",
  seenIn: "an election that only forgets that it leads",
  file: "src/election/candidacy.js",
  find: "this.#resigning = term.resign();",
  replace: "this.#resigning = Promise.resolve();",
  where: ["election"],
  killer: ["L1", "L4"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
