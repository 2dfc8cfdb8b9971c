import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "campaign-never-ends",
  title: "a campaign goes on when it is called off",
  seenIn: "an election that watches the signal only between two attempts",
  file: "src/election/delayed-acquire.js",
  find: "this.#pendingAcquire.abort();",
  replace: ";",
  where: ["election"],
  killer: ["L4"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 2 },
};
