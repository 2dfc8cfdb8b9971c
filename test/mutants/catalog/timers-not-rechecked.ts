import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "timers-not-rechecked",
  title: "the loss timer is set once, for the whole lease",
  seenIn: "every setTimeout that outlives a suspend",
  file: "src/coordinator/schedule.js",
  find: "const MAX_ARM_MS = 1_000;",
  replace: "const MAX_ARM_MS = 2 ** 30;",
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 10_000, maxTtlMs: 10_000 },
      workload: [session({ atMs: 1_000, client: 0, holdMs: 25_000, writeCount: 0 })],
      faults: [{ kind: "suspend", atMs: 3_000, client: 0, forMs: 5_000 }],
      chaosMs: 18_000,
    }),
  ],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
