import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lock-delay-believed-in",
  title: "validity is counted from the whole life of the keys, including the lock-delay",
  seenIn: "one duration for the key and for the lease",
  file: "src/coordinator/attempt.js",
  find: "return validUntilMs(this.#firstSendMs, ttlMs, driftFactor);",
  replace: "return validUntilMs(this.#firstSendMs, keyTtlMs(this.#settings), driftFactor);",
  where: ["delays"],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 70 },
};
