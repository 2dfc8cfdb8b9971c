import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-not-sent-to-silent",
  title: "an unreachable node gets the release later only if it had granted",
  seenIn: "retry lists filled by replies",
  file: "src/coordinator/node-sets.js",
  find: 'vote?.kind === "refused" || (vote?.kind === "fault" && !vote.sent)',
  replace: 'vote?.kind !== "granted"',
  where: ["network", "crash"],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 3 },
};
