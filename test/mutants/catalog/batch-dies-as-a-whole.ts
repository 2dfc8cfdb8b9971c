import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "batch-dies-as-a-whole",
  title: "the error of one operation fails its whole batch",
  seenIn: "an uncaught error in a Lua script",
  file: "src/script/exclusive_acquire.lua",
  find: "  if ok then return reply end\n",
  replace: "  if ok then return reply end\n  if true then error(reply, 0) end\n",
  also: [
    {
      file: "src/script/slow_path.lua",
      find: "  if ok then return reply end\n",
      replace: "  if ok then return reply end\n  if true then error(reply, 0) end\n",
    },
  ],
  where: [
    plainScenario({
      clients: 1,
      workload: ["a", "b"].map((name) => session({ atMs: 1_000, client: 0, name })),
      faults: [0, 1].map((node) => {
        const base = { kind: "nodeErrors", atMs: 900, forMs: 300, node } as const;
        return { ...base, perMille: 1_000, scope: "operation", name: "b" };
      }),
      chaosMs: 1_500,
    }),
    "crash",
    "swarm",
  ],
  killer: ["E2"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
