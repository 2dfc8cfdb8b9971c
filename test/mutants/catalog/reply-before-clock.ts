import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reply-before-clock",
  title: "a reply queued during a stall is trusted before the clock is read",
  seenIn: "renewals that trust whatever arrives",
  file: "src/coordinator/lease-renewal.js",
  find: "onVerdict: (result) => {\n                if (!lease.isHeld())",
  replace: 'onVerdict: (result) => {\n                if (lease.state !== "held")',
  where: [
    plainScenario({
      clients: 1,
      options: { renew: true },
      workload: [session({ atMs: 1_000, client: 0, holdMs: 2_000, writeCount: 40 })],
      faults: [{ kind: "pause", atMs: 1_170, client: 0, forMs: 400 }],
      chaosMs: 4_000,
    }),
  ],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 4 },
};
