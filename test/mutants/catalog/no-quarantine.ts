import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-quarantine",
  title: "a node that lost its data votes immediately",
  seenIn: "implementations that leave delayed restarts to the operator",
  file: "src/channel/quarantine.js",
  find: "if (!this.#settings.isQuarantineOn)",
  replace: "if (true)",
  where: ["crash", "swarm"],
  killer: ["Q1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 33 },
};
