import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "minimum-hold-released",
  title: "an early release deletes the key although the name is to stay closed",
  seenIn: "schedulers that lock for as long as the job runs",
  file: "sim/node-script.js",
  find: "if (operation.keepMs !== undefined)\n        return keep(call, operation, operation.keepMs);",
  replace: "",
  where: ["delays"],
  killer: ["D2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
