import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "bootstrap-at-one-look",
  title: "one look at all nodes is enough to open a new deployment",
  seenIn: "a check followed by a set",
  file: "src/channel/bootstrap.js",
  find: "else if (this.#firstLook === undefined) {",
  replace:
    "else if (this.#firstLook === undefined) {\n            this.#confirmedIds = this.#sightings.map((sighting) => sighting?.record.id);\n            this.#handshakeWaiting();\n            return;",
  where: [
    withClients(
      plainScenario({
        clients: 2,
        options: { ttlMs: 8_000, maxTtlMs: 10_000, nodeTimeoutMs: 100 },
        workload: [
          session({ atMs: 12, client: 0, waitMs: 100, holdMs: 3_000 }),
          session({ atMs: 20, client: 1, waitMs: 300, holdMs: 100 }),
        ],
        faults: [
          { kind: "hold", atMs: 22, client: 1, node: 2, way: "toNode", forMs: 36 },
          { kind: "partition", atMs: 42, client: 0, node: 1, way: "both", forMs: 2_000 },
          { kind: "forget", atMs: 57, node: 2 },
        ],
        chaosMs: 4_000,
      }),
      { startMs: 10 },
      { startMs: 10 },
    ),
  ],
  killer: ["S1", "Q1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 6 },
};
