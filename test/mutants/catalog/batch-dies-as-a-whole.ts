import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "batch-dies-as-a-whole",
  title: "one operation's error answers for its whole batch",
  seenIn: "an error that leaves a Lua script",
  file: "sim/sim-node.js",
  find: "this.#changedBy = operation;",
  replace:
    'this.#changedBy = operation;\n            if (this.errors?.scope === "operation" && this.#failsOperation()) return { kind: "error", message: "ERR script", isExecuted: "unknown" };',
  where: ["crash", "swarm"],
  killer: ["L1", "L2", "L3", "S6"],
  seedBudget: 40,
  survives:
    "whole batches fail in the fault model anyway, and every promise holds; the harm is to other locks of the batch, for which the simulator lacks an error bound to one name and an oracle that asks why a lock was lost",
};
