import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "incarnation-not-compared",
  title: "a batch does not say which incarnation it means",
  seenIn: "amnesia detected when connecting only",
  file: "src/script/batch.lua",
  find: "elseif known ~= '' and record[1] ~= known then",
  replace: "elseif false then",
  where: ["crash", "swarm"],
  killer: ["Q1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 15 },
};
