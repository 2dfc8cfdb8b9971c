import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "wall-only",
  title: "the lease clock is the wall clock, and goes back with it",
  seenIn: "leases measured with Date.now",
  file: "src/protocol/lease-clock.js",
  find: "growthMs > CLOCK_BAND_MS",
  replace: "growthMs !== 0",
  where: [
    plainScenario({
      clients: 2,
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 2_000, writeCount: 20 }),
        session({ atMs: 1_700, client: 1, waitMs: 500, holdMs: 200, writeCount: 4 }),
      ],
      faults: [{ kind: "wallJump", atMs: 1_100, client: 0, byMs: -1_000 }],
      chaosMs: 3_500,
    }),
  ],
  killer: ["S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
