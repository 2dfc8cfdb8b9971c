import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-looks-at-first-name",
  title: "a set is granted when its first name is free, whoever holds the others",
  seenIn: "sets that are locked by a key of the first name",
  file: "sim/layouts/several.js",
  find: "for (const [index, { lockKey }] of members.entries()) {",
  replace: "for (const [index, { lockKey }] of [...members.entries()].slice(0, 1)) {",
  where: ["several"],
  killer: ["S4", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 2 },
};
