import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reader-beside-writer",
  title: "a reader is admitted beside a writer",
  seenIn: "readers that look at the readers' own key only",
  file: "sim/layouts/shared.js",
  find: "if (holder !== undefined && holder.text !== SHARED && !isTurn)",
  replace: "if (false)",
  where: ["shared"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
