import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "minimum-hold-released",
  title: "an early release deletes the key although the name must stay closed",
  seenIn: "schedulers that lock only while the job runs",
  file: "src/script/steps/close.lua",
  find: "  if left and (left < 0 or lock.ttl < left) then call('PEXPIRE', lock.key, lock.ttl) end\n",
  replace: "  if left then kind.drop(lock) end\n",
  where: ["delays"],
  killer: ["D2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
