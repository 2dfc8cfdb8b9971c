import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "adopts-as-the-giver",
  title: "an adopted lock keeps the giver's ownerId",
  seenIn: "a lock value that is passed on, and extended by everyone who has it",
  file: "src/coordinator/attempt.js",
  find: "this.#firstSendMs = nowMs;",
  replace:
    'this.#firstSendMs = nowMs;\n        if (mode.as === "takeOver")\n            this.#ownerId = mode.previousId;',
  also: [
    {
      file: "src/coordinator/acquire-mode.js",
      find: 'vote.kind === "granted" && vote.isHandedOver !== true',
      replace: "false",
    },
  ],
  where: ["adoption"],
  killer: ["S1", "S5"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
