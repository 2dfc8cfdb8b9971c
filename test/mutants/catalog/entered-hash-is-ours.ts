import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "entered-hash-is-ours",
  title: "a lock that a read-write lock has entered is still extended",
  seenIn: "locks that check only their own field",
  file: "src/script/kinds/owned.lua",
  find: "lock.is_entered = mode == 'read' or mode == 'write'",
  replace: "lock.is_entered = false",
  where: ["redisson"],
  killer: ["H3", "S4"],
  seedBudget: 1000,
  killedBy: { where: 0, seed: 23 },
};
