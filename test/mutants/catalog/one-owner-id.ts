import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-owner-id",
  title: "one ownerId for all attempts of a client",
  seenIn: "a client id, or one random value per lock object",
  file: "src/coordinator/attempt.js",
  find: "this.#ownerId = ownerIdOf(entropy.id(), settings.label, shownMs);",
  replace: "this.#ownerId = context.onceId ??= `${entropy.id()}:${settings.label}`;",
  where: ["network"],
  killer: ["S5"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
