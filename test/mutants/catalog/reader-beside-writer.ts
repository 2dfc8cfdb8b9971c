import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reader-beside-writer",
  title: "a reader is admitted while a writer holds the lock",
  seenIn: "readers that only look at the readers' key",
  file: "src/script/kinds/shared.lua",
  find: "  if is_held then return lock_key.refuse(holder, lock.key) end\n",
  replace: "",
  where: ["shared"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
