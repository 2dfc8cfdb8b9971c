import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "check-without-clock",
  title: "the check before a write reads a flag, not the clock",
  seenIn: "an isLocked flag that a timer sets",
  file: "src/coordinator/lease.js",
  find: 'if (this.#state === "held" && !isValid(this.#context.clock.now(), this.#validity.untilMs))',
  replace: "if (false)",
  where: [
    plainScenario({
      clients: 2,
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 200 }),
        session({ atMs: 1_100, client: 1, waitMs: 1_000, holdMs: 50 }),
      ],
      faults: [{ kind: "pause", atMs: 1_060, client: 0, forMs: 700 }],
      chaosMs: 2_500,
    }),
  ],
  killer: ["F3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
