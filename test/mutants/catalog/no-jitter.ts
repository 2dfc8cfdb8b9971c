import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

/**
 * Each of two contenders is nearest to another half of four nodes, and both begin at once. Nobody is
 * woken, which would put them in order.
 */
const DUEL = plainScenario({
  clients: 2,
  nodeCount: 4,
  options: { nodeTimeoutMs: 250, isDeaf: true },
  workload: [session({ atMs: 1_000, client: 0 })],
});

export const mutant: Mutant = {
  id: "no-jitter",
  title: "all losers back off for the same time",
  seenIn: "a fixed retry delay",
  file: "src/protocol/backoff.js",
  find: "minDelayMs + unit * Math.max(0, cap - minDelayMs)",
  replace: "cap",
  where: [
    {
      ...DUEL,
      network: { ...DUEL.network, meanDelayUs: 100 },
      distancesUs: [
        [0, 0, 25_000, 25_000],
        [25_000, 25_000, 0, 0],
      ],
      ending: "core",
      core: [0, 1, 2, 3],
    },
    "calm",
  ],
  killer: ["L2"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
