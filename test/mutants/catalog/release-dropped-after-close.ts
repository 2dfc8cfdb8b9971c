import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-dropped-after-close",
  title: "a pending release is dropped one ttl after the close, though its acquire was on its way",
  seenIn: "the time at which the key must have expired, if a stopped server executed nothing later",
  file: "src/channel/pending-releases.js",
  find: "this.#unanswered.has(operation.ownerId) ||",
  replace: "",
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 10_000, maxTtlMs: 10_000 },
      workload: [session({ atMs: 1_000, client: 0, holdMs: 4_000 })],
      faults: [{ kind: "freeze", atMs: 900, node: 0, forMs: 14_000 }],
      chaosMs: 16_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 60,
  killedBy: { where: 0, seed: 1 },
};
