import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fence-not-incremented",
  title: "a counter follows the clock and is not raised by every grant",
  seenIn: "timestamps as tokens",
  file: "src/script/lib/draw.lua",
  find: "then fence = last + 1 end",
  replace: "then fence = last end",
  where: [
    {
      ...withClients(
        plainScenario({
          clients: 2,
          options: { maxTtlMs: 8_000, checkToWriteMs: 900 },
          workload: [
            session({ atMs: 1_000, client: 0, writeCount: 1 }),
            session({ atMs: 1_450, client: 1, waitMs: 1_000, writeCount: 1 }),
          ],
          chaosMs: 4_000,
        }),
        { wallOffsetMs: 60_000 },
        { wallOffsetMs: -60_000 },
      ),
      profile: "pause-after-check",
    },
  ],
  killer: ["F2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
