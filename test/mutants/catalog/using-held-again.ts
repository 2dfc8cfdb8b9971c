import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "using-held-again",
  title: "an extension in flight revives an expired lock of using",
  seenIn: "extensions that only check whether they were granted",
  file: "src/redlock/redlock.js",
  find: "known?.isHeld === false",
  replace: "known?.end !== undefined",
  where: [
    plainScenario({
      clients: 1,
      workload: [
        session({
          ...{ atMs: 1_000, client: 0, holdMs: 900, writeCount: 30 },
          dropIn: { durationMs: 500, retryCount: 0, extendBeforeMs: 50 },
        }),
      ],
      faults: [{ kind: "pause", atMs: 1_505, client: 0, forMs: 60 }],
      chaosMs: 2_500,
    }),
    "drop-in",
  ],
  killer: ["S6"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 198 },
};
