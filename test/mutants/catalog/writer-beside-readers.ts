import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "writer-beside-readers",
  title: "a writer is admitted beside readers",
  seenIn: "writers that do not know what a key with readers looks like",
  file: "sim/node-script.js",
  find: "if (holder !== undefined && !isOurs && !isOurTurn && !isHandedOver)",
  replace:
    'if (holder !== undefined && holder.text !== "shared:" && !isOurs && !isOurTurn && !isHandedOver)',
  where: ["shared"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
