import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

/** Healing a node that says free, asked in a round that was not won. */
export const mutant: Mutant = {
  id: "heals-unproven",
  title: "every node that reports the name as free is repaired",
  seenIn: "repairs as the answers arrive",
  barriers: [
    {
      id: "proof",
      title: "a late answer triggers a repair only if its round confirmed the lock",
      why: "a repair is sent only while the lock is held, so it sets a key where no other holder can be, and that key expires with the keys that confirmed the lock. An early repair delays others by less than a ttl and does not extend validity",
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
      title: "nothing is repaired for a lock that is not held",
      why: "a lost round repairs nothing anyway. After a won round this check is needed alone: see the late repair after the release",
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
