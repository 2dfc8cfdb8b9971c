import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "minimum-hold-until-loss",
  title: "a lost lock opens the name before its minimum hold is over",
  seenIn: "a minimum that only an orderly release observes",
  file: "src/coordinator/lease.js",
  find: "rollback(this.#context, this.#released);",
  replace: "rollback(this.#context, { ...this.#released, keepMs: undefined });",
  where: [
    plainScenario({
      clients: 2,
      options: { ttlMs: 1_000, maxTtlMs: 1_000, maxHoldMs: 100, lockDelayMs: 0, minHoldMs: 400 },
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 500 }),
        session({ atMs: 1_200, client: 1, waitMs: 1_000 }),
      ],
      chaosMs: 2_500,
    }),
  ],
  killer: ["D2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 136 },
};
