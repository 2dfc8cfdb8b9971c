import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-dropped-after-send",
  title: "a pending release is dropped one ttl after it was sent",
  seenIn: "the time at which the key must have expired, counted from the wrong end",
  file: "src/channel/pending-releases.js",
  find: "steadyMs < closedAtMs + entry.operation.ttlMs",
  replace: "steadyMs < entry.bornMs + entry.operation.ttlMs",
  also: [
    {
      file: "src/channel/pending-releases.js",
      find: "if (steadyMs >= this.#closedAtMs + entry.operation.ttlMs)",
      replace: "if (steadyMs >= entry.bornMs + entry.operation.ttlMs)",
    },
    {
      file: "src/channel/node-channel.js",
      find: "const entry = { operation, receiver,",
      replace: "const entry = { bornMs: this.#clock.steady(), operation, receiver,",
    },
  ],
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 10_000, maxTtlMs: 10_000 },
      workload: [session({ atMs: 1_000, client: 0 })],
      faults: [
        { kind: "freeze", atMs: 900, node: 0, forMs: 10_800 },
        { kind: "partition", atMs: 1_030, client: 0, node: 0, way: "toNode", forMs: 3_000 },
      ],
      chaosMs: 13_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 60,
  killedBy: { where: 0, seed: 1 },
};
