import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fence-dies-with-lock",
  title: "a release deletes the counter with the lock",
  seenIn: "one DEL for both",
  file: "src/script/fast/release.lua",
  find: "  for m = 1, size do replies[n + m] = 0 end\n",
  replace:
    "  for m = 1, size do replies[n + m] = 0 end\n  try('HDEL', KEYS[1], 'top', unpack(buckets))\n",
  where: [
    withClients(
      plainScenario({
        clients: 2,
        options: { ttlMs: 200, maxTtlMs: 4_000 },
        workload: [session({ atMs: 1_000, client: 0 }), session({ atMs: 1_500, client: 1 })],
        chaosMs: 2_000,
      }),
      { wallOffsetMs: 60_000 },
      { wallOffsetMs: -60_000 },
    ),
  ],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
