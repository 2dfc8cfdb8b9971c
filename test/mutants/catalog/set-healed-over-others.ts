import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-healed-over-others",
  title: "a set is put back whoever holds its names by now",
  seenIn: "a repair that does not look at what stands there",
  file: "sim/layouts/several.js",
  find: "if (refusal === undefined)",
  replace: "if (refusal === undefined || !isAcquire)",
  where: ["several"],
  killer: ["S4", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 25 },
};
