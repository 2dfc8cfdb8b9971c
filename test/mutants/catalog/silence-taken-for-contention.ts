import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "silence-taken-for-contention",
  title: "an unreachable lock is reported as held",
  seenIn: "an acquire that returns a boolean",
  file: "src/coordinator/attempt.js",
  find: 'this.#fail(isRefusedByQuorum(round) ? "refused" : "unreachable", round.votes);',
  replace: 'this.#fail("refused", round.votes);',
  where: ["network", "crash"],
  killer: ["E1"],
  seedBudget: 40,
  killedBy: { where: 1, seed: 1 },
};
