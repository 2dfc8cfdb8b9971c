import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hand-over-without-owner",
  title: "a hand-over takes the key from any holder",
  seenIn: "SET XX by a client that assumes its process holds the lock",
  file: "src/script/kinds/exclusive.lua",
  find: "holder and holder == lock.previous and holder ~= lock.owner",
  replace: "holder and lock.previous and holder ~= lock.owner",
  where: ["network", "pause", "swarm"],
  killer: ["S4", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 56 },
};
