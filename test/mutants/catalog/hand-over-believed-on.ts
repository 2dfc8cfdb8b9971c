import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hand-over-believed-on",
  title: "a holder that hands its lock over treats it as held until the next holder has it",
  seenIn: "release() that ends the lease when it is answered",
  file: "src/coordinator/lease.js",
  find: "next.receive(handOver, nowMs);",
  replace:
    'next.receive(handOver, nowMs);\n        this.#state = "held";\n        void handOver.result.then(() => { this.#state = "released"; });',
  where: ["calm"],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
