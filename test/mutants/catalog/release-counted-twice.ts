import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-counted-twice",
  title: "a duplicate release of an owner's hold is counted twice",
  seenIn: "reentrant locks with a bare count",
  file: "src/script/kinds/owned.lua",
  find: "  local live, last, others = count(lock, ends)\n",
  replace:
    "  local counted = tonumber(call('HGET', lock.holds, lock.name) or 0)\n  local is_new = not call('HGET', lock.holds, lock.hold)\n  local live, last, others = count(lock, ends)\n",
  also: [
    {
      file: "src/script/kinds/owned.lua",
      find: "call('HSET', lock.holds, lock.name, live + others)\n  local left",
      replace:
        "call('HSET', lock.holds, lock.name, counted + (not ends and -1 or is_new and 1 or 0))\n  local left",
    },
  ],
  where: ["owners"],
  killer: ["O1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
