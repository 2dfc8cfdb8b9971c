import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-sided-clamp",
  title: "a proposal far behind is taken as it comes",
  seenIn: "a limit against the future only",
  file: "protocol/fencing.js",
  find: "Math.min(Math.max(proposal, nodeTimeUs - slackUs), nodeTimeUs + slackUs)",
  replace: "Math.min(proposal, nodeTimeUs + slackUs)",
  where: ["calm", "crash"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 86 },
};
