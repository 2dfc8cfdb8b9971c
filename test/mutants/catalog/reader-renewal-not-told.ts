import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reader-renewal-not-told",
  title: "a renewal of a reader whose expiry is far away is not noticed",
  seenIn: "ZADD GT",
  file: "src/script/lib/members.lua",
  find: "math.max((ends_at(lock) or 0) + 1, now_ms() + lock.ttl)",
  replace: "math.max(ends_at(lock) or 0, now_ms() + lock.ttl)",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 12 },
};
