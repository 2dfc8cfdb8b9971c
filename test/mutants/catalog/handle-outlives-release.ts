import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "handle-outlives-release",
  title: "a handle reports held after its own release",
  seenIn: "handles that query the lock that they share",
  file: "src/reentrancy/shared-lease.js",
  find: "return !this.#isReleased && this.#lease.isHeld();",
  replace: "return this.#lease.isHeld();",
  where: ["delays"],
  killer: ["J1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
