import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "timestamp-released-unlooked",
  title: "a release deletes the key, regardless of its current holder",
  seenIn: "DEL once the work is done",
  file: "src/script/kinds/timestamp.lua",
  find: "  if owner == lock.owner then call('DEL', lock.owner_key) end",
  replace: "  if owner == lock.owner then call('DEL', lock.key, lock.owner_key) end",
  where: ["timestamp"],
  killer: ["S4"],
  seedBudget: 600,
  killedBy: { where: 0, seed: 79 },
};
