import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "heal-after-release",
  title: "a late repair arrives after the release",
  seenIn: "late answers that are still used",
  file: "src/coordinator/lease-healing.js",
  find: "if (!this.#lease.isHeld())\n            return;\n        const nowMs",
  replace: "if (false)\n            return;\n        const nowMs",
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 10_000, maxTtlMs: 10_000 },
      workload: [session({ atMs: 1_000, client: 0, holdMs: 100, writeCount: 0, extendCount: 1 })],
      faults: [{ kind: "forget", atMs: 1_060, node: 2 }],
      chaosMs: 2_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 3 },
};
