import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "minimum-hold-by-lease-clock",
  title: "the rest of a minimum hold is measured on a clock that may be fast",
  seenIn: "one clock for what must not end late and what must not end early",
  file: "src/coordinator/minimum-hold.js",
  find: "this.#grantedMs = clock.steady();",
  replace: "this.#grantedMs = clock.now();\n        this.#clock = { steady: () => clock.now() };",
  where: ["delays"],
  killer: ["D2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 226 },
};
