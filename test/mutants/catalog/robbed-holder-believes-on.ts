import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "robbed-holder-believes-on",
  title: "who is robbed in the thief's own process finds out when it renews",
  seenIn: "steal that only deletes the key",
  file: "src/coordinator/stealing.js",
  find: "held.rob();",
  replace: "void 0;",
  where: ["steal"],
  killer: ["S1", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
