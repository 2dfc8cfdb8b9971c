import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "last-come-first-served",
  title: "the last waiter of a process asks first",
  seenIn: "stacks of waiters",
  file: "src/coordinator/wait-queue.js",
  find: "return this.#members.first;",
  replace: "return [...this.#members].at(-1);",
  where: ["calm", "network"],
  killer: ["W1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 2 },
};
