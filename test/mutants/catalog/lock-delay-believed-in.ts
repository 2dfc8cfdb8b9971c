import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lock-delay-believed-in",
  title: "the validity is counted from all that the keys live for, the lock-delay too",
  seenIn: "one duration for the key and for the lease",
  file: "src/coordinator/attempt.js",
  find: "return validUntilMs(this.#firstSendMs, ttlMs, driftFactor);",
  replace: "return validUntilMs(this.#firstSendMs, keyTtlMs(this.#settings), driftFactor);",
  where: ["delays"],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 70 },
};
