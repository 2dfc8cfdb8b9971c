import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "minimum-hold-by-lease-clock",
  title: "the rest of a minimum hold is told by a clock that may run ahead",
  seenIn: "one clock for what must not end late and for what must not end early",
  file: "src/coordinator/lease.js",
  find: "const heldMs = this.#context.clock.steady() - this.#grantedSteadyMs;",
  replace: "const heldMs = this.#context.clock.now() - this.#grantedAtMs;",
  where: ["delays"],
  killer: ["D2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 36 },
};
