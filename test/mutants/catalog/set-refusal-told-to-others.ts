import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-refusal-told-to-others",
  title: "the failure of a set on its other names is reported to a waiter for the first name",
  seenIn: "a wait queue that remembers one failure for all",
  file: "src/coordinator/wait-queue.js",
  find: "this.#failures.set(name, { failure, sentMs });",
  replace: "this.#failures.set(this.keys.lockKey, { failure, sentMs });",
  also: [
    {
      file: "src/coordinator/wait-queue.js",
      find: "const last = this.#failures.get(name);",
      replace: "const last = this.#failures.get(this.keys.lockKey);",
    },
  ],
  where: ["several"],
  killer: ["E1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 1 },
};
