import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "turn-over-a-held-key",
  title: "a release reserves the name for the next waiter although another client holds the key",
  seenIn: "wake-ups that carry the lock with them",
  file: "src/script/steps/release.lua",
  find: "if may_tell and call('EXISTS', lock.key) == 0 then",
  replace: "if may_tell then",
  also: [
    {
      file: "src/script/lib/offers.lua",
      find: "RESERVATION .. inbox, 'NX', 'PX', ms)",
      replace: "RESERVATION .. inbox, 'PX', ms)",
    },
  ],
  where: ["network", "pause", "swarm"],
  killer: ["S4", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
