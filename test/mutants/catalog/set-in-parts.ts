import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-in-parts",
  title: "a set is granted although some of its names are held",
  seenIn: "names locked one by one, without checking each result",
  file: "src/script/kinds/several.lua",
  find: "  local refusal, is_elsewhere = refusal_of(lock)\n",
  replace:
    "  local refusal, is_elsewhere = refusal_of(lock)\n  for _, key in ipairs(lock.lock_keys) do\n    if (call('GET', key) or lock.owner) == lock.owner then refusal = nil end\n  end\n",
  also: [
    {
      file: "src/script/kinds/several.lua",
      find: "    call('SET', key, lock.owner, 'PX', math.max(lock.ttl, left))\n",
      replace:
        "    if (call('GET', key) or lock.owner) == lock.owner then\n      call('SET', key, lock.owner, 'PX', math.max(lock.ttl, left))\n    end\n",
    },
  ],
  where: ["several"],
  killer: ["S1", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 2 },
};
