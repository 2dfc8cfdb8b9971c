import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

/** Healing a node that says free, asked in a round that was not won. */
export const mutant: Mutant = {
  id: "heals-unproven",
  title: "whatever node says that it is free is healed",
  seenIn: "healing as the answers come",
  barriers: [
    {
      id: "proof",
      title: "a late answer heals only if its round proved the lock",
      why: "a heal is sent only while the lock is held, so it puts a key where nobody else can be, and that key dies with the keys that proved the lock; who sends one early keeps others waiting for less than a ttl, and believes no longer for it",
      quietIn: ["crash", "swarm", "network"],
      patches: [
        {
          file: "src/coordinator/lease-renewal.js",
          find: 'const isProof = result.verdict === "won" && this.#validity.provenAtMs === firstSendMs;',
          replace: "const isProof = true;",
        },
      ],
    },
    {
      id: "held",
      title: "nothing is healed for a lock that is not held",
      why: "a round that was lost heals nothing anyway; behind a round that was won it is missed, by itself: see the straggler that heals behind the release",
      quietIn: [],
      patches: [
        {
          file: "src/coordinator/lease-healing.js",
          find: "if (!this.#lease.isHeld())\n            return;\n        const nowMs",
          replace: "if (false)\n            return;\n        const nowMs",
        },
      ],
    },
  ],
  where: [
    // Three of five nodes have forgotten the lock: it is taken. The fourth, which has too, says so late.
    plainScenario({
      clients: 1,
      nodeCount: 5,
      options: { ttlMs: 10_000, maxTtlMs: 10_000 },
      workload: [session({ atMs: 1_000, client: 0, holdMs: 200, writeCount: 0, extendCount: 1 })],
      faults: [
        ...[0, 1, 2, 3].map((node) => {
          return { kind: "forget" as const, atMs: 1_150, node };
        }),
        { kind: "hold", atMs: 1_190, client: 0, node: 3, way: "toClient", forMs: 45 },
      ],
      chaosMs: 2_000,
    }),
  ],
  killer: ["L3"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
