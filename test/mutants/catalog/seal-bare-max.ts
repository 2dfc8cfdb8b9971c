import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "seal-bare-max",
  title:
    "a seal raises the counter regardless of the key's holder, and is granted even where the token is already stored",
  seenIn: "SET to the maximum beside the lock",
  barriers: [
    {
      id: "strict",
      title: "a seal is granted only where it raises the counter",
      why: "an acquire raises the counter of a node whose key changes hands, so the owner of the key finds its own token there, or a larger one",
      quietIn: ["jump", "wildskew", "datagram"],
      patches: [
        {
          file: "src/script/lib/fences.lua",
          find: "return not fence or tonumber(fence) < tonumber(token)",
          replace: "return not fence or tonumber(fence) <= tonumber(token)",
        },
      ],
    },
    {
      id: "owner",
      title: "a seal is granted only to the holder of the key",
      why: "the counter of a node takes every value once, so a token that raised it is unique, regardless of who holds the key",
      quietIn: ["jump", "wildskew", "datagram"],
      patches: [
        {
          file: "src/script/steps/seal.lua",
          find: "  if not kind.is_ours(lock) then return lock_key.blocker(lock, kind) end\n",
          replace: "",
        },
      ],
    },
  ],
  where: [
    {
      ...withClients(
        plainScenario({
          clients: 4,
          options: { ttlMs: 4_000, maxTtlMs: 20_000, nodeTimeoutMs: 1_500 },
          workload: [
            session({ atMs: 1_000, client: 2, holdMs: 50 }),
            session({ atMs: 1_200, client: 3 }),
            session({ atMs: 3_500, client: 0, holdMs: 500 }),
            session({ atMs: 3_620, client: 1, holdMs: 10 }),
          ],
          faults: [
            { kind: "partition", atMs: 1_190, client: 3, node: 0, way: "both", forMs: 4_500 },
            { kind: "partition", atMs: 1_190, client: 3, node: 2, way: "both", forMs: 4_500 },
            { kind: "partition", atMs: 3_400, client: 0, node: 2, way: "both", forMs: 2_000 },
            { kind: "partition", atMs: 3_400, client: 1, node: 1, way: "both", forMs: 2_000 },
            { kind: "hold", atMs: 3_500, client: 0, node: 1, way: "toNode", forMs: 60 },
            { kind: "hold", atMs: 3_530, client: 0, node: 0, way: "toNode", forMs: 500 },
            { kind: "nodeJump", atMs: 3_600, node: 0, byMs: 4_100 },
          ],
          chaosMs: 6_000,
        }),
        { wallOffsetMs: -60_000 },
        { wallOffsetMs: -60_000 },
        { wallOffsetMs: 60_000 },
        { wallOffsetMs: -60_000 },
      ),
      profile: "jump",
    },
  ],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
