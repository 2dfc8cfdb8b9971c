import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-node-deadline",
  title: "a round waits for every node, however long it is silent",
  seenIn: "clients that rely on their driver's command timeout",
  file: "src/coordinator/round.js",
  find: "this.#schedule.set(this, sentMs + this.#timeoutMs);",
  replace: "",
  where: ["network", "crash"],
  killer: ["L1"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 1 },
};
