import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "quarantine-by-fast-clock",
  title: "quarantine ends on the clock that leases end on",
  seenIn: "one clock for what must not end late and what must not end early",
  file: "src/channel/quarantine.js",
  find: "return quarantineLeftMs(sinceMs, lengthMs, this.#clock.steady());",
  replace: "return quarantineLeftMs(sinceMs, lengthMs, this.#clock.now());",
  where: [
    plainScenario({
      clients: 2,
      options: { ttlMs: 3_000, maxTtlMs: 3_000 },
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 2_000, writeCount: 10 }),
        session({ atMs: 1_300, client: 1, waitMs: 1_000, holdMs: 100 }),
      ],
      faults: [
        { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 3_000 },
        { kind: "forget", atMs: 1_200, node: 1 },
        { kind: "wallJump", atMs: 1_250, client: 1, byMs: 20_000 },
      ],
      chaosMs: 4_000,
    }),
  ],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
