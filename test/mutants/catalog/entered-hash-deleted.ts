import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "entered-hash-deleted",
  title: "a release deletes a hash that a read-write lock has entered",
  seenIn: "DEL where HDEL was meant",
  file: "src/script/kinds/owned.lua",
  find: "  if call('HLEN', lock.key) > 1 then return end\n",
  replace: "",
  where: ["redisson"],
  killer: ["S4"],
  seedBudget: 1000,
  killedBy: { where: 0, seed: 23 },
};
