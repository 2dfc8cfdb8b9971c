import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "top-not-raised",
  title: "a new highest fence is not recorded as the node's highest",
  seenIn: "a bound stored apart from what it bounds",
  file: "src/script/lib/fences.lua",
  find: "is_below(call('HGET', KEYS[1], 'top'), fence) and { 'top', fence } or {}",
  replace: "{}",
  where: ["calm", "swarm"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 11 },
};
