import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "expired-held-again",
  title: "an extend recreates the key of an expired lock, which is silently held again",
  seenIn: "renewals with SET PX whose replies are trusted",
  file: "src/script/steps/extend.lua",
  find: "  if not kind.is_ours(lock) then",
  replace:
    "  redis.call('SET', lock.key, lock.owner, 'NX', 'PX', lock.ttl)\n  if not kind.is_ours(lock) then",
  also: [
    {
      file: "src/coordinator/lease-renewal.js",
      find: "onVerdict: (result) => {\n                if (!lease.isHeld())",
      replace: 'onVerdict: (result) => {\n                if (lease.state !== "held")',
    },
  ],
  where: [
    // The holder has read, and is stopped while a renewal is under way for long. The lock runs out,
    // another comes, writes and goes, the renewal arrives, and the holder writes what it had thought.
    plainScenario({
      clients: 2,
      options: { ttlMs: 1_000, maxTtlMs: 1_000, renew: true },
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 1_800 }),
        session({ atMs: 2_020, client: 1, waitMs: 300, holdMs: 10 }),
      ],
      faults: [
        ...[0, 1, 2].map((node) => {
          const base = { kind: "hold", atMs: 1_320, client: 0, node, forMs: 830 } as const;
          return { ...base, way: "toNode" as const };
        }),
        { kind: "pause", atMs: 1_350, client: 0, forMs: 850 },
      ],
      chaosMs: 3_000,
    }),
  ],
  killer: ["F3"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 3 },
};
