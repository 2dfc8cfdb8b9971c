import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "heal-after-force",
  title: "a renewal that was under way heals a lock that an operator has ended",
  seenIn: "unlock commands that delete keys, and holders that put back what is missing",
  file: "sim/node-script.js",
  find: 'kind === "heal" && isEnded(call, operation)',
  replace: "false",
  where: ["force"],
  killer: ["H2"],
  seedBudget: 60,
  killedBy: { where: 0, seed: 42 },
};
