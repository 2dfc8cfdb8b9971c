import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "bucket-not-compared",
  title:
    "a proposal below the highest fence of the node is stored without comparing the name's own fence",
  seenIn: "timestamps as tokens",
  file: "src/script/fast/acquire.lua",
  find: "if last and floor and math.max(last, floor) < tonumber(proposal) then",
  replace: "if last then",
  where: ["calm", "swarm"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 11 },
};
