import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "run-id-not-compared",
  title: "a record that survived a restart is taken as proof of intact data",
  seenIn: "data loss detected by a marker key alone",
  file: "src/script/handshake.lua",
  find: "elseif of ~= run_id then",
  replace: "elseif false then",
  where: [
    // The node that both quorums share restarts with what it had saved before the lock was taken.
    plainScenario({
      clients: 2,
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 450, release: "atEnd" }),
        session({ atMs: 1_200, client: 1, waitMs: 200 }),
      ],
      faults: [
        { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 1_000 },
        { kind: "partition", atMs: 900, client: 1, node: 1, way: "both", forMs: 1_000 },
        { kind: "crash", atMs: 1_050, node: 0, mode: "snapshot", lostMs: 100, forMs: 10 },
      ],
      chaosMs: 2_000,
    }),
    "crash",
    "swarm",
  ],
  killer: ["Q1", "S1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 1 },
};
