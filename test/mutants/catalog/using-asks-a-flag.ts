import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "using-asks-a-flag",
  title: "the signal of using is a flag that a timer sets",
  seenIn: "an AbortSignal that is checked before each write",
  file: "src/redlock/using.js",
  find: "!this.#isLost && !this.#state.isHeld",
  replace: "false",
  where: ["drop-in"],
  killer: ["S6", "F3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 70 },
};
