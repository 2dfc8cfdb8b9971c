import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "campaign-never-ends",
  title: "an election continues after it was cancelled",
  seenIn: "elections that check the signal only between two attempts",
  file: "src/election/delayed-acquire.js",
  find: "this.#pendingAcquire.abort();",
  replace: ";",
  where: ["election"],
  killer: ["L4"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 2 },
};
