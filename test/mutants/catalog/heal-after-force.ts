import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "heal-after-force",
  title: "a renewal that was under way heals a lock that an operator has ended",
  seenIn: "unlock commands that delete keys, and holders that put back what is missing",
  file: "sim/node-looks.js",
  find: 'if (operation.kind === "heal")\n        return isEnded(call, operation);',
  replace: 'if (operation.kind === "heal")\n        return false;',
  where: ["force"],
  killer: ["H2"],
  seedBudget: 1000,
  killedBy: { where: 0, seed: 894 },
};
