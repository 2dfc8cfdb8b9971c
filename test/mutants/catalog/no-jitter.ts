import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-jitter",
  title: "losers sleep equally long",
  seenIn: "a fixed retry delay",
  file: "protocol/backoff.js",
  find: "minDelayMs + unit * Math.max(0, cap - minDelayMs)",
  replace: "cap",
  where: ["calm"],
  killer: ["L2"],
  seedBudget: 40,
  survives:
    "random delays of the simulated links do the work of the jitter; a lasting tie needs links with a distance of their own, so that each contender is nearest to another node",
};
