import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "seal-not-strict",
  title: "a seal is granted where the token stands already",
  seenIn: "<= for <",
  file: "sim/node-script.js",
  find: "fenceOf(last) >= token",
  replace: "fenceOf(last) > token",
  where: ["jump", "wildskew", "datagram"],
  killer: ["F1"],
  seedBudget: 40,
  survives:
    "an acquire lifts the counter of a node whose key changes hands, so whoever still owns the key finds its own token or a larger one; only together with a seal that asks no owner does it break, see seal-bare-max",
};
