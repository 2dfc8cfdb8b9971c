import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "top-not-raised",
  title: "a fence that is drawn above all others does not become the highest of the node",
  seenIn: "a bound kept beside what it bounds",
  file: "src/script/lib/fences.lua",
  find: "is_below(call('HGET', KEYS[1], 'top'), fence) and { 'top', fence } or {}",
  replace: "{}",
  where: ["calm", "swarm"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 11 },
};
