import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "permits-key-dies-with-first",
  title: "the first release of a permit deletes the name's key while others are held",
  seenIn: "semaphores whose mark on the name is deleted by any holder that leaves",
  file: "src/script/kinds/slot.lua",
  find: "is_ours = members.is_ours, retime = members.retime, drop = members.drop,",
  replace:
    "is_ours = members.is_ours, retime = members.retime,\n  drop = function(lock)\n    members.drop(lock)\n    call('DEL', lock.key)\n  end,",
  where: ["semaphore"],
  killer: ["S2", "S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
