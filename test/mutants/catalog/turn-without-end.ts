import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "turn-without-end",
  title: "a name is reserved for a notified waiter forever, even if it never comes",
  seenIn: "wake-ups that carry the lock with them",
  file: "src/script/lib/offers.lua",
  find: "RESERVATION .. inbox, 'NX', 'PX', ms)",
  replace: "RESERVATION .. inbox, 'NX')",
  where: ["network", "swarm"],
  killer: ["L2", "L3"],
  seedBudget: 200,
  killedBy: { where: 1, seed: 23 },
};
