import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "turn-over-a-held-key",
  title: "whoever releases gives the turn to the next, also where another holds the key",
  seenIn: "wake-ups that carry the lock with them",
  file: "sim/node-script.js",
  find: "if (holder === undefined || isOurs)\n        giveTurn",
  replace: "giveTurn",
  where: ["network", "pause", "swarm"],
  killer: ["S4", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
