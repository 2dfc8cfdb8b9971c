import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-without-owner",
  title: "a release deletes the key whoever holds it",
  seenIn: "DEL instead of compare-and-delete",
  file: "sim/node-script.js",
  find: "if (isOurs)\n        call.keys.delete",
  replace: "call.keys.delete",
  where: ["network", "pause"],
  killer: ["S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
