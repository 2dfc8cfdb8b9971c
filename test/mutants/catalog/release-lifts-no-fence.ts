import { withNodesOff } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-lifts-no-fence",
  title: "a release does not raise lower counters",
  seenIn: "counters that only grants touch",
  file: "src/script/lib/fences.lua",
  find: "local function lift(lock, token)\n  if token == '' then return end\n",
  replace: "local function lift()\n  if true then return end\n",
  where: [
    // The first node's clock is far ahead, and so is the first token. The node that shares it with
    // the next quorum forgets; the third has heard of it by the release alone.
    withNodesOff(
      plainScenario({
        clients: 2,
        workload: [
          session({ atMs: 1_000, client: 0, holdMs: 100 }),
          session({ atMs: 2_000, client: 1, waitMs: 2_000 }),
        ],
        faults: [
          { kind: "hold", atMs: 990, client: 0, node: 2, way: "toNode", forMs: 140 },
          { kind: "forget", atMs: 1_500, node: 1 },
          { kind: "partition", atMs: 1_600, client: 1, node: 0, way: "both", forMs: 4_000 },
        ],
        chaosMs: 4_500,
      }),
      900_000,
    ),
  ],
  killer: ["F1"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
