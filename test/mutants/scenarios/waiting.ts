import type { Scenario } from "../../../sim/scenario.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";

export const timersNotRechecked: Scenario = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 25_000, writeCount: 0 })],
  faults: [{ kind: "suspend", atMs: 3_000, client: 0, forMs: 5_000 }],
  chaosMs: 18_000,
});
