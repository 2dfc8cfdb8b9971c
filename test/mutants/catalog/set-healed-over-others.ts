import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-healed-over-others",
  title: "a set is put back whoever holds its names by now",
  seenIn: "a repair that does not look at what stands there",
  file: "src/script/kinds/several.lua",
  find: "  if refusal then\n    if is_elsewhere",
  replace: "  if refusal and is_acquire then\n    if is_elsewhere",
  where: ["several"],
  killer: ["S4", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 113 },
};
