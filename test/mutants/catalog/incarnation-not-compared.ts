import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "incarnation-not-compared",
  title: "a batch does not say which incarnation it means",
  seenIn: "amnesia detected when connecting only",
  file: "sim/node-script.js",
  find: "if (!call.isKnown)",
  replace: "if (false)",
  where: ["crash", "swarm"],
  killer: ["Q1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 12 },
};
