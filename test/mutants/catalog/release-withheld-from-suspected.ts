import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-withheld-from-suspected",
  title: "a suspected node is not sent releases",
  seenIn: "circuit breakers in front of everything",
  file: "src/channel/node-channel.js",
  find: "if (this.#pipeline.isSuspected && !entry.mayHold)",
  replace: "if (this.#pipeline.isSuspected)",
  where: ["crash", "network"],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 3 },
};
