import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reader-by-lock-key",
  title: "a reader whose time is over is renewed as long as the lock key is there",
  seenIn: "extends that look at the key of all readers, not at their own entry",
  file: "src/script/lib/members.lua",
  find: "return score and score >= now_ms() and call('GET', lock.key) == lock.marker and score or nil",
  replace: "return call('GET', lock.key) == lock.marker and (score or now_ms()) or nil",
  where: ["shared"],
  killer: ["S4", "S3"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
