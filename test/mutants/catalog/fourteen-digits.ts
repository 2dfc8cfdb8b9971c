import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fourteen-digits",
  title: "counters are written with fourteen digits",
  seenIn: "Lua's tostring",
  file: "sim/node-steps.js",
  find: "String(fence)",
  replace: "fence.toPrecision(14)",
  where: ["calm"],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 8 },
};
