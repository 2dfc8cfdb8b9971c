import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "adopts-what-is-free",
  title: "a lock is adopted although its keys are gone",
  seenIn: "takeovers by an acquire with the old value, whatever it finds",
  file: "src/coordinator/acquire-mode.js",
  find: 'vote.kind === "granted" && vote.isHandedOver !== true',
  replace: "false",
  where: ["adoption"],
  killer: ["H1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 60 },
};
