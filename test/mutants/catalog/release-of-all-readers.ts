import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-of-all-readers",
  title: "the release of one reader frees the lock of all",
  seenIn: "a lock key that any reader may delete",
  file: "src/script/kinds/shared.lua",
  find: "is_ours = members.is_ours, retime = members.retime, drop = members.drop,",
  replace:
    "is_ours = members.is_ours, retime = members.retime,\n  drop = function(lock)\n    call('DEL', lock.key, lock.members)\n  end,",
  where: ["shared"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
