import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "loss-told-at-renewal",
  title: "a loss is noticed only at the next renewal",
  seenIn: "libraries without a timer for the end of validity",
  file: "src/coordinator/lease.js",
  find: "Math.min(this.#validity.lossAtMs, this.#renewal.renewAtMs, this.#healing.backfillAtMs,",
  replace: "Math.min(this.#renewal.renewAtMs, this.#healing.backfillAtMs,",
  where: ["network", "calm"],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
