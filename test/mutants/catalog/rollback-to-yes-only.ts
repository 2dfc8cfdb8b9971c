import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "rollback-to-yes-only",
  title: "a rollback goes only to the nodes that said yes",
  seenIn: "libraries that take a timeout for a no",
  file: "src/coordinator/attempt.js",
  find: "rollback(this.#context, {",
  replace:
    'rollback({\n            ...this.#context,\n            nodes: this.#context.nodes.map((node, at) => this.#round.votes[at]?.kind === "granted" ? node : { submit() { } }),\n        }, {',
  where: ["network", "crash"],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 3 },
};
