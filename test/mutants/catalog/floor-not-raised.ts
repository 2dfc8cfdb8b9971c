import { withClients, withNodesOff } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "floor-not-raised",
  title:
    "a node that lost its counters starts from its clock, whatever the other nodes have issued",
  seenIn: "counters that start from the time of day",
  file: "src/script/handshake.lua",
  find: "if tonumber(ARGV[10]) > 0 then",
  replace: "if false then",
  where: [
    // It comes up with a slow clock; the other node of the next quorum, and its client, have one as well.
    withNodesOff(
      withClients(
        plainScenario({
          clients: 3,
          options: { ttlMs: 800, maxTtlMs: 1_000, nodeTimeoutMs: 100 },
          workload: [
            session({ atMs: 1_000, client: 0, holdMs: 100 }),
            session({ atMs: 4_000, client: 1, waitMs: 500, holdMs: 100 }),
          ],
          faults: [
            { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 5_000 },
            { kind: "crash", atMs: 1_300, node: 1, mode: "amnesia", forMs: 20 },
            { kind: "nodeJump", atMs: 1_310, node: 1, byMs: -20_000 },
            { kind: "partition", atMs: 3_800, client: 1, node: 0, way: "both", forMs: 2_000 },
          ],
          chaosMs: 6_000,
        }),
        { startMs: 10 },
        { startMs: 3_000, wallOffsetMs: -20_000 },
        { startMs: 10 },
      ),
      ...[0, 0, -20_000],
    ),
  ],
  killer: ["F1"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
