import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "extend-recreates-key",
  title: "the extend script sets the key where it is free, and reports success",
  seenIn: "renewals with SET PX",
  file: "src/script/steps/extend.lua",
  find: "  if not kind.is_ours(lock) then",
  replace:
    "  redis.call('SET', lock.key, lock.owner, 'NX', 'PX', lock.ttl)\n  if not kind.is_ours(lock) then",
  where: ["crash", "swarm", "network"],
  killer: ["S4"],
  seedBudget: 40,
  killedBy: { where: 1, seed: 1 },
};
