import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-of-whoever-has-the-permit",
  title: "a release frees a permit by number, regardless of its current holder",
  seenIn: "semaphores whose holders have a number and no owner",
  file: "src/script/kinds/slot.lua",
  find: "is_ours = members.is_ours, retime = members.retime, drop = members.drop,",
  replace:
    "retime = members.retime,\n  is_ours = function(lock)\n    return members.is_ours(lock) or lock.is_release and standing(lock)[lock.slot] ~= nil\n  end,\n  drop = function(lock)\n    for _, each in ipairs(call('ZRANGE', lock.members, 0, -1)) do\n      if string.find(each, lock.slot .. ':', 1, true) == 1 then call('ZREM', lock.members, each) end\n    end\n    members.settle(lock)\n  end,",
  also: [
    {
      file: "src/script/steps/release.lua",
      find: "  local is_ours = kind.is_ours(lock)\n",
      replace: "  lock.is_release = true\n  local is_ours = kind.is_ours(lock)\n",
    },
  ],
  where: ["semaphore"],
  killer: ["S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
