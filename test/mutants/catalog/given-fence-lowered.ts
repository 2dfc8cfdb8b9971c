import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import { withNodesOff } from "../directed.js";
import type { Mutant } from "../mutant.js";

const job = { owner: "job", holdMs: 400 } as const;

export const mutant: Mutant = {
  id: "given-fence-lowered",
  title: "a node lowers the owner's token after it gave its fence to another hold",
  seenIn: "state that is corrected after it was read",
  file: "src/script/kinds/owned.lua",
  find: "    call('HDEL', lock.holds, DRAWN)\n    return fence",
  replace: "    return fence",
  where: [
    // Node 0, whose clock is ahead, hears late of the owner's first hold and at once of the second;
    // the third asks that node, and one that the second has not reached.
    {
      ...withNodesOff(
        plainScenario({
          clients: 3,
          options: { nodeTimeoutMs: 80 },
          workload: [
            session({ ...job, atMs: 4_400, client: 0 }),
            session({ ...job, atMs: 4_450, client: 1 }),
            session({ ...job, atMs: 4_570, client: 2 }),
          ],
          chaosMs: 6_000,
        }),
        300,
      ),
      distancesUs: [
        [30_000, 0, 0],
        [0, 0, 200_000],
        [0, 200_000, 0],
      ],
    },
  ],
  killer: ["F1"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
