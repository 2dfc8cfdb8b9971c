import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "clock-compares-totals",
  title: "a step back of the wall clock hides the suspend that follows",
  seenIn: "the larger of two elapsed times, measured from one base",
  file: "src/protocol/lease-clock.js",
  find: "if (growthMs < 0)",
  replace: "if (false)",
  where: [
    plainScenario({
      clients: 2,
      options: { ttlMs: 2_000, maxTtlMs: 2_000 },
      workload: [
        session({ atMs: 3_000, client: 0, holdMs: 6_000, writeCount: 60 }),
        session({ atMs: 3_100, client: 1, waitMs: 6_000, holdMs: 500, writeCount: 4 }),
      ],
      faults: [
        { kind: "wallJump", atMs: 500, client: 0, byMs: -20_000 },
        { kind: "suspend", atMs: 3_200, client: 0, forMs: 2_500 },
      ],
      chaosMs: 10_000,
    }),
  ],
  killer: ["S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
