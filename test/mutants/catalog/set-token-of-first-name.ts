import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-token-of-first-name",
  title: "the token of a set is above the last one of its first name only",
  seenIn: "sets with the counter of one of their names",
  file: "sim/node-steps.js",
  find: "return Math.max(...membersOfSet(keys).map(",
  replace: "return Math.max(...membersOfSet(keys).slice(0, 1).map(",
  where: ["several"],
  killer: ["F1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 35 },
};
