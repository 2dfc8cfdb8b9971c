import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-clamp",
  title: "a proposal is taken as it comes",
  seenIn: "the client's wall clock as a counter",
  file: "protocol/fencing.js",
  find: "Math.max(fence + 1, clampProposal(proposal, nodeTimeUs, slackUs))",
  replace: "Math.max(fence + 1, proposal)",
  where: ["calm", "crash"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 1, seed: 13 },
};
