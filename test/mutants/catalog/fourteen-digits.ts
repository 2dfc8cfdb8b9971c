import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "fourteen-digits",
  title: "counters are written with fourteen digits",
  seenIn: "Lua's tostring",
  file: "src/script/fast/acquire.lua",
  find: "  local fields = { 'top', proposal }\n",
  replace:
    "  if proposal ~= '' then proposal = tostring(tonumber(proposal)) end\n  local fields = { 'top', proposal }\n",
  also: [
    {
      file: "src/script/lib/fences.lua",
      find: "local function write(buckets, fence)\n",
      replace: "local function write(buckets, fence)\n  fence = tostring(tonumber(fence))\n",
    },
    {
      file: "src/script/lib/draw.lua",
      find: "    redis.call('HSET', KEYS[1],",
      replace: "    lock.token = tostring(fence)\n    redis.call('HSET', KEYS[1],",
    },
  ],
  where: ["calm"],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 8 },
};
