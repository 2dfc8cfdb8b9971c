import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "readers-by-client-clock",
  title: "a reader's expiry is a time of its client's clock",
  seenIn: "sorted sets of holders with expiries that each client computes",
  file: "src/script/lib/members.lua",
  find: "local ends = math.max((ends_at(lock) or 0) + 1, now_ms() + lock.ttl)",
  replace: "local ends = math.floor((tonumber(lock.token) or now_ms() * 1000) / 1000) + lock.ttl",
  where: ["shared"],
  killer: ["S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 3 },
};
