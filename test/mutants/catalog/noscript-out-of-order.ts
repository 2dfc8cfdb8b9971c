import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "noscript-out-of-order",
  title: "operations that met NOSCRIPT are resent after later ones",
  seenIn: "drivers that fall back to EVAL call by call",
  file: "src/channel/pipeline.js",
  find: "this.#unexecuted.add(answered.entries);",
  replace: "this.#isScriptLoaded = false;\n            this.#queue.push(...answered.entries);",
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
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
