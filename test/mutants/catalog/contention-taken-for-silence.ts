import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "contention-taken-for-silence",
  title: "a lock held by another client is reported as unreachable",
  seenIn: "one error for everything",
  file: "src/coordinator/attempt.js",
  find: 'this.#fail(isRefusedByQuorum(round) ? "refused" : "unreachable", round.votes);',
  replace: 'this.#fail("unreachable", round.votes);',
  where: ["calm"],
  killer: ["E1"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
