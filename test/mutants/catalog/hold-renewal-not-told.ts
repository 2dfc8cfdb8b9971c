import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hold-renewal-not-told",
  title: "a renewal of a hold whose expiry is far away is not noticed",
  seenIn: "counters whose expiry is only ever extended",
  file: "src/script/kinds/owned.lua",
  find: "settle(lock, math.max((ends_at(lock) or 0) + 1, now_ms() + lock.ttl))",
  replace: "settle(lock, math.max(ends_at(lock) or 0, now_ms() + lock.ttl))",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 800,
  killedBy: { where: 0, seed: 163 },
};
