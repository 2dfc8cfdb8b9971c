import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-expiry-for-all-readers",
  title: "readers have one expiry for all: a renewal of one keeps the dead alive",
  seenIn: "read-write locks that are a counter, or a hash with a ttl",
  file: "sim/layouts/shared.js",
  find: "settle([...others(), { score: endsAtMs, member: ownerId }]);",
  replace:
    "settle([...others().map(({ member }) => ({ score: endsAtMs, member })), { score: endsAtMs, member: ownerId }]);",
  where: ["shared"],
  killer: ["S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
