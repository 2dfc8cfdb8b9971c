import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "resent-before-drained",
  title: "what met NOSCRIPT is sent again before the other replies in flight have come",
  seenIn: "drivers that fall back to EVAL call by call",
  file: "src/channel/pipeline.js",
  find: "if (this.#unexecuted.size > 0 && this.#inFlight.length === 0)",
  replace: "if (this.#unexecuted.size > 0)",
  where: [
    plainScenario({
      clients: 1,
      options: { ttlMs: 10_000, maxTtlMs: 10_000 },
      workload: Array.from({ length: 24 }, (_, index) =>
        session({
          atMs: 1_000 + index,
          client: 0,
          name: String(index),
          abortAfterMs: 1 + (index % 12),
        }),
      ),
      faults: [0, 1, 2].map((node) => {
        return { kind: "scriptFlush", atMs: 1_005, node };
      }),
      chaosMs: 2_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 50,
  killedBy: { where: 0, seed: 1 },
};
