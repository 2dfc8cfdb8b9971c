import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fault-withholds-release",
  title: "a node that did not execute a hand-over gets no release either",
  seenIn: "a release that is part of another request",
  file: "src/coordinator/hand-over.js",
  find: "this.#releaseOn(index, vote.sent);",
  replace: "",
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 20_000, maxTtlMs: 20_000, maxDelayMs: 1_000 },
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 85, writeCount: 0 }),
        session({ atMs: 1_010, client: 0, waitMs: 5_000, writeCount: 0 }),
      ],
      faults: [{ kind: "partition", atMs: 1_085, client: 0, node: 2, way: "both", forMs: 3_500 }],
      chaosMs: 6_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
