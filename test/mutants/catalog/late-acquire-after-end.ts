import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "late-acquire-after-end",
  title: "a late acquire takes a node from which an operator ended its owner",
  seenIn: "deleting the key of a lock by hand",
  file: "src/script/exclusive_acquire.lua",
  find: "  if is_wary and require('lib.ended').is_ended(lock) then return 'ended' end\n",
  replace: "",
  also: [
    {
      file: "src/script/slow_path.lua",
      find: "step == 'heal' or is_wary and step == 'acquire'",
      replace: "step == 'heal'",
    },
  ],
  where: [
    // The holder's acquire is held up on its way to node 2; the operator does not reach node 1.
    {
      ...plainScenario({
        clients: 2,
        options: { renew: true },
        workload: [
          session({ atMs: 348, client: 0, waitMs: 400, holdMs: 989, writeCount: 0 }),
          session({ atMs: 547, client: 1, isForce: true, writeCount: 0 }),
        ],
        faults: [
          { kind: "hold", atMs: 300, client: 0, node: 2, way: "toNode", forMs: 400 },
          { kind: "partition", atMs: 388, client: 1, node: 1, way: "both", forMs: 2_900 },
        ],
        chaosMs: 4_000,
      }),
      profile: "force",
    },
  ],
  killer: ["H2"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 1 },
};
