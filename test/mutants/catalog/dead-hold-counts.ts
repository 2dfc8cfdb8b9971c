import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "dead-hold-counts",
  title: "an expired hold counts as long as its owner has another one",
  seenIn: "a count that only releases decrement",
  file: "src/script/kinds/owned.lua",
  find: "if field ~= lock.hold and at >= now_ms() then",
  replace: "if field ~= lock.hold then",
  where: ["owners"],
  killer: ["O1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 128 },
};
