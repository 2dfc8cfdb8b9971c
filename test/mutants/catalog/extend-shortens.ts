import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "extend-shortens",
  title: "a shorter extend shortens the key of an earlier, longer validity",
  seenIn: "PEXPIRE without comparing the remaining time",
  file: "src/script/fast/extend.lua",
  find: "ttl, 'GT')",
  replace: "ttl)",
  also: [
    {
      file: "src/coordinator/lease-renewal.js",
      find: "const ttlMs = keyTtlMs(this.#settings);",
      replace: "const ttlMs = Math.ceil(this.#settings.ttlMs / 4);",
    },
    {
      file: "src/coordinator/lease-validity.js",
      find: "const { ttlMs, driftFactor } = this.#settings;",
      replace:
        "const { driftFactor } = this.#settings, ttlMs = Math.ceil(this.#settings.ttlMs / 4);",
    },
  ],
  where: ["network"],
  killer: ["S2"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 13 },
};
