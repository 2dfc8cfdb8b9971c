import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-expiry-for-all-holds",
  title: "holds have one expiry for all: a renewal of one keeps the dead alive",
  seenIn: "a hash of counts with one ttl, as Redisson has it",
  file: "sim/layouts/owned.js",
  find: "alive.push(numberIn(at));",
  replace:
    "{ const end = Math.max(ends ?? 0, numberIn(at)); alive.push(end); after.set(field, String(end)); }",
  where: ["owners"],
  killer: ["S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
