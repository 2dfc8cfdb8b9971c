import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fresh-clients-skip-quarantine",
  title: "only clients that saw a node lose its data observe its quarantine",
  seenIn: "a flag in the client's memory",
  file: "src/protocol/incarnation.js",
  find: 'return state === "attested" ||',
  replace: 'return !sawChange || state === "attested" ||',
  where: ["crash", "swarm"],
  killer: ["Q1", "S1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 49 },
};
