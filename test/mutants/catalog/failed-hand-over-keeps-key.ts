import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "failed-hand-over-keeps-key",
  title: "a failed hand-over rolls back only the next owner",
  seenIn: "a rollback that knows one owner",
  file: "src/coordinator/attempt.js",
  find: "this.#predecessor?.letGo();",
  replace: "",
  also: [
    {
      file: "src/coordinator/hand-over.js",
      find: "this.#releaseOn(index, vote.sent);",
      replace: "",
    },
  ],
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 20_000, maxTtlMs: 20_000, maxDelayMs: 1_000 },
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 85, writeCount: 0 }),
        session({ atMs: 1_010, client: 0, waitMs: 5_000, writeCount: 0 }),
      ],
      faults: [
        { kind: "partition", atMs: 1_085, client: 0, node: 1, way: "both", forMs: 3_500 },
        { kind: "partition", atMs: 1_085, client: 0, node: 2, way: "both", forMs: 3_500 },
      ],
      chaosMs: 6_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
