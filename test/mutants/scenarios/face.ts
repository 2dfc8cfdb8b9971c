import type { Scenario } from "../../../sim/scenario.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";

/** It sleeps through the end of its lock, and then writes. */
export const usingAsksAFlag: Scenario = plainScenario({
  clients: 1,
  workload: [
    session({
      ...{ atMs: 1_000, client: 0, holdMs: 900, writeCount: 30 },
      dropIn: { durationMs: 500, retryCount: 0, extendBeforeMs: 50 },
    }),
  ],
  faults: [{ kind: "pause", atMs: 1_100, client: 0, forMs: 700 }],
  chaosMs: 2_500,
});
