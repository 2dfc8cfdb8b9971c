import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-elapsed-check",
  title: "a lock is returned without checking its remaining validity",
  seenIn: "libraries that only count votes",
  file: "src/coordinator/attempt.js",
  find: "if (!this.#isUsable(nowMs))",
  replace: "if (false)",
  where: [
    plainScenario({
      clients: 1,
      workload: [session({ atMs: 1_000, client: 0 })],
      faults: [{ kind: "pause", atMs: 1_002, client: 0, forMs: 700 }],
      chaosMs: 2_000,
    }),
  ],
  killer: ["S3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
