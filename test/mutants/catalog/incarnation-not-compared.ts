import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "incarnation-not-compared",
  title: "a batch does not state which incarnation it is for",
  seenIn: "data loss detected only when connecting",
  file: "src/script/batch.lua",
  find: "elseif known ~= '' and record[1] ~= known then",
  replace: "elseif false then",
  where: ["crash", "swarm"],
  killer: ["Q1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 15 },
};
