import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "extend-from-reply",
  title: "an extend counts validity from the reply",
  seenIn: "the same, in renewals only",
  file: "src/coordinator/lease-renewal.js",
  find: "this.#validity.onExtended(firstSendMs);",
  replace: "this.#validity.onExtended(this.#context.clock.now());",
  where: ["network"],
  killer: ["S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 95 },
};
