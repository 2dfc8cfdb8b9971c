import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fence-dies-with-lock",
  title: "the counter has the ttl of the lock",
  seenIn: "one EXPIRE for both keys",
  file: "src/script/fast/acquire.lua",
  find: "retention = keys[k + KEY_FENCE], args[3]",
  replace: "retention = keys[k + KEY_FENCE], ttl",
  also: [
    {
      file: "src/script/lib/fences.lua",
      find: "do call('SET', key, fence, 'PX', ARGV[3]) end",
      replace: "do call('SET', key, fence, 'PX', lock.ttl) end",
    },
  ],
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
