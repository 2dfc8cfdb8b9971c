import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "count-frees-owner",
  title: "the name is free when the count is down to nothing, whoever has counted it down",
  seenIn: "reentrant locks that are a bare count",
  file: "sim/layouts/owned.js",
  find: "if (alive.length + otherCount === 0) {",
  replace: "if (alive.length + otherCount === 0 || (ends === undefined && counted <= 1)) {",
  also: [
    {
      file: "sim/layouts/owned.js",
      find: "after.set(owner, String(alive.length + otherCount));",
      replace:
        "after.set(owner, String(ends === undefined ? counted - 1 : counted + (known.some(([field]) => field === hold) ? 0 : 1)));",
    },
  ],
  where: ["owners"],
  killer: ["S2", "S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
