import type { Mutant } from "../mutant.js";
import { threeOfTwo } from "../directed-permits.js";

export const mutant: Mutant = {
  id: "permits-counted-by-node",
  title: "each node admits as many holders as there are permits, in its own order",
  seenIn: "semaphores on several masters that count holders in a sorted set on each",
  file: "src/script/kinds/slot.lua",
  find: "if who and who ~= lock.owner and who ~= lock.reservation then return",
  replace:
    "local is_full = #call('ZRANGE', lock.members, 0, -1) >= lock.permits\n    if is_full and not members.is_ours(lock) then return",
  where: [threeOfTwo],
  killer: ["K1"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
