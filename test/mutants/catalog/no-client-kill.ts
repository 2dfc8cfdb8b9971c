import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

const calm = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 100, writeCount: 0 })],
  // The acquire is under way.
  faults: [{ kind: "reset", atMs: 1_001, client: 0, node: 2 }],
  chaosMs: 5_000,
});

export const mutant: Mutant = {
  id: "no-client-kill",
  title: "a new connection does not close the previous one",
  seenIn: "reconnects that leave bytes behind",
  file: "src/channel/previous-connection.js",
  find: "return idsNamed(previous.name, list);",
  replace: "return [];",
  // What was under way when its connection broke comes up to 3 s later: behind the release.
  where: [{ ...calm, network: { ...calm.network, zombiePerMille: 1_000 } }],
  killer: ["L3"],
  seedBudget: 20,
  killedBy: { where: 0, seed: 1 },
};
