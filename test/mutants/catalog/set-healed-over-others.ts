import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-healed-over-others",
  title: "a set is restored regardless of who holds its names now",
  seenIn: "repairs that do not check what is stored",
  file: "src/script/kinds/several.lua",
  find: "  if refusal then\n    if is_elsewhere",
  replace: "  if refusal and is_acquire then\n    if is_elsewhere",
  where: ["several"],
  killer: ["S4", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 113 },
};
