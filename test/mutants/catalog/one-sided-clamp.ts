import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-sided-clamp",
  title: "a proposal far behind is taken as it comes",
  seenIn: "a limit against the future only",
  file: "src/script/fast/acquire.lua",
  find: "if not top or fence < low or fence > high then",
  replace: "if not top or fence > high then",
  also: [
    {
      file: "src/script/lib/fences.lua",
      find: "math.min(math.max(tonumber(lock.token), lock.low), lock.high)",
      replace: "math.min(tonumber(lock.token), lock.high)",
    },
  ],
  where: [
    // All nodes forget; a client comes next whose clock is far behind.
    withClients(
      plainScenario({
        clients: 2,
        workload: [
          session({ atMs: 1_000, client: 0 }),
          session({ atMs: 3_000, client: 1, waitMs: 2_000 }),
        ],
        faults: [0, 1, 2].map((node) => ({ kind: "forget", atMs: 1_500, node }) as const),
        chaosMs: 5_500,
      }),
      { wallOffsetMs: 0 },
      { wallOffsetMs: -60_000 },
    ),
    "crash",
  ],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 1 },
};
