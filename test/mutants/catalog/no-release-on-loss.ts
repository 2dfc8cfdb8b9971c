import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-release-on-loss",
  title: "an expired lock is not released",
  seenIn: "a loss reported by a timer, and nothing else done",
  file: "src/coordinator/lease.js",
  find: "rollback(this.#context, this.#released);",
  replace: "",
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 10_000, maxTtlMs: 10_000, maxHoldMs: 300 },
      workload: [session({ atMs: 1_000, client: 0, holdMs: 2_000 })],
      chaosMs: 2_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
