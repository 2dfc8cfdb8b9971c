import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "entered-hash-is-ours",
  title: "a lock that a read-write lock has entered is extended as if nobody had",
  seenIn: "locks that look at their own field only",
  file: "src/script/kinds/owned.lua",
  find: "lock.is_entered = mode == 'read' or mode == 'write'",
  replace: "lock.is_entered = false",
  where: ["redisson"],
  killer: ["H3", "S4"],
  seedBudget: 1000,
  killedBy: { where: 0, seed: 23 },
};
