import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import { withClients } from "../directed.js";
import type { Mutant } from "../mutant.js";

/** The holder's clock is as slow as it may be, those of the nodes are as fast. */
const scenario = withClients(
  plainScenario({
    clients: 2,
    options: { maxTtlMs: 11_000, minDelayMs: 1, lockDelayMs: 10_000, minHoldMs: 0 },
    workload: [
      session({ atMs: 1_000, client: 0, release: "atEnd" }),
      session({ atMs: 1_200, client: 1, waitMs: 12_000 }),
    ],
    chaosMs: 13_000,
  }),
  { steadyPpm: -5_000, wallPpm: -5_000 },
);
const nodes = scenario.nodes.map((node) => ({ ...node, ratePpm: 5_000 }));

export const mutant: Mutant = {
  id: "lock-delay-without-drift",
  title: "a lock-delay ends early on a fast node",
  seenIn: "a ttl extended by the delay, without an allowance for clocks",
  file: "src/protocol/delays.js",
  find: "ttlMs + outwaitMs(lockDelayMs, driftFactor)",
  replace: "ttlMs + lockDelayMs",
  where: [{ ...scenario, nodes }],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
