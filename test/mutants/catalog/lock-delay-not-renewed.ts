import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lock-delay-not-renewed",
  title: "a renewal stores the keys without the lock-delay",
  seenIn: "a second place that knows how long keys live",
  file: "src/coordinator/lease-renewal.js",
  find: "const ttlMs = keyTtlMs(this.#settings);",
  replace: "const ttlMs = this.#settings.ttlMs;",
  where: ["delays"],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 140 },
};
