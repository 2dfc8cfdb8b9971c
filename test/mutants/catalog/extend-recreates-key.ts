import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "extend-recreates-key",
  title: "the extend script sets the key where it is free, and says yes",
  seenIn: "renewals with SET PX",
  file: "sim/node-script.js",
  find: "function extend(call, { keys, ownerId, ttlMs }) {\n    const holder = get(call, keys.lockKey);",
  replace:
    "function extend(call, { keys, ownerId, ttlMs }) {\n    if (get(call, keys.lockKey) === undefined)\n        set(call, keys.lockKey, ownerId, ttlMs);\n    const holder = get(call, keys.lockKey);",
  where: ["crash", "swarm", "network"],
  killer: ["S4"],
  seedBudget: 40,
  killedBy: { where: 1, seed: 1 },
};
