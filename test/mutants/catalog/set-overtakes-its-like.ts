import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-overtakes-its-like",
  title: "a set that lets others pass also lets equal sets pass",
  seenIn: "a wait queue that is rotated one by one",
  file: "src/coordinator/wait-queue.js",
  find: "const alike = [...this.#members].filter((each) => saysTo(failure, member.request, each.request));\n        if (this.first !== member || alike.length === this.#members.size)",
  replace:
    "const alike = [member];\n        if (this.first !== member || alike.length === this.#members.size)",
  where: ["several"],
  killer: ["W1"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 74 },
};
