import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reader-by-lock-key",
  title: "an expired reader is renewed as long as the lock key exists",
  seenIn: "extends that check the shared key, not the reader's own entry",
  file: "src/script/lib/members.lua",
  find: "return score and score >= now_ms() and call('GET', lock.key) == lock.marker and score or nil",
  replace: "return call('GET', lock.key) == lock.marker and (score or now_ms()) or nil",
  where: ["shared"],
  killer: ["S4", "S3"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
