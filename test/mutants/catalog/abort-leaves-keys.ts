import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "abort-leaves-keys",
  title: "an aborted acquire leaves its requests in place",
  seenIn: "a promise that rejects while its requests continue",
  file: "src/coordinator/attempt.js",
  find: "this.#round.abandon();\n        this.#rollback();",
  replace: "this.#round.abandon();",
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 10_000, maxTtlMs: 10_000 },
      workload: [session({ atMs: 1_000, client: 0, abortAfterMs: 5 })],
      chaosMs: 2_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
