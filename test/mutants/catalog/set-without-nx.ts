import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-without-nx",
  title: "an acquire takes the key from whoever holds it",
  seenIn: "SET without NX",
  file: "sim/node-script.js",
  find: "if (holder !== undefined && !isOurs && !isOurTurn && !isHandedOver)",
  replace: "if (false)",
  where: ["calm"],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
