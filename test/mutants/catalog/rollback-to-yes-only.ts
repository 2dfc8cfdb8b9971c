import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "rollback-to-yes-only",
  title: "a rollback goes only to the nodes that granted",
  seenIn: "libraries that take a timeout for a refusal",
  file: "src/coordinator/attempt.js",
  find: "isForAll ? ALL_NODES : nodesThatDidNotRefuse(this.#round.votes)",
  replace: "nodesThatGranted(this.#round.votes)",
  where: ["network", "crash"],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 3 },
};
