import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "last-come-first-served",
  title: "of those who wait in a process the last who came is the first to ask",
  seenIn: "stacks of waiters",
  file: "src/coordinator/wait-queue.js",
  find: "return this.#members.first;",
  replace: "return [...this.#members].at(-1);",
  where: ["calm", "network"],
  killer: ["W1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 2 },
};
