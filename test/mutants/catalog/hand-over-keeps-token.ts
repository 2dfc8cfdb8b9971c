import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hand-over-keeps-token",
  title: "a hand-over leaves the counter, and so the fencing token, unchanged",
  seenIn: "locks that change hands within a process without asking the server",
  file: "src/script/exclusive_acquire.lua",
  find: "local fence = lock.token == '' and 0 or",
  replace:
    "local fence = lock.token == '' and 0 or is_handed_over and require('lib.fences').last(lock) or",
  where: ["calm", "network"],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 3 },
};
