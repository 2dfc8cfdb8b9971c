import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-expiry-for-all-permits",
  title: "permits have one expiry for all: a renewal of one keeps the dead alive",
  seenIn: "semaphores that are a counter, or a set with a ttl",
  file: "sim/layouts/slot.js",
  find: "settle([...others(place), { score: endsAtMs, member: place }]);",
  replace:
    "settle([...others(place).map(({ member }) => ({ score: endsAtMs, member })), { score: endsAtMs, member: place }]);",
  where: ["semaphore"],
  killer: ["S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
