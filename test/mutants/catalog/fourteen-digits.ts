import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fourteen-digits",
  title: "counters are written with fourteen digits",
  seenIn: "Lua's tostring",
  file: "src/script/fast/acquire.lua",
  find: "try('SET', fence_key, token,",
  replace: "try('SET', fence_key, tostring(fence),",
  also: [
    {
      file: "src/script/fast/acquire.lua",
      find: "try('SET', fence_key, drawn,",
      replace: "try('SET', fence_key, tostring(old + 1),",
    },
    {
      file: "src/script/lib/fences.lua",
      find: "do call('SET', key, fence, 'PX', ARGV[3]) end",
      replace: "do call('SET', key, tostring(tonumber(fence)), 'PX', ARGV[3]) end",
    },
    {
      file: "src/script/lib/fences.lua",
      find: "then call('SET', key, token, 'PX', ARGV[3]) end",
      replace: "then call('SET', key, tostring(tonumber(token)), 'PX', ARGV[3]) end",
    },
  ],
  where: ["calm"],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 8 },
};
