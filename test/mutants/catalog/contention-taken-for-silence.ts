import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "contention-taken-for-silence",
  title: "a lock that is held by another is reported as out of reach",
  seenIn: "one error for everything",
  file: "src/coordinator/attempt.js",
  find: 'this.#fail(isRefusedByQuorum(round) ? "refused" : "unreachable", round.votes);',
  replace: 'this.#fail("unreachable", round.votes);',
  where: ["calm"],
  killer: ["E1"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
