import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hand-over-without-owner",
  title: "a hand-over takes the key from any holder",
  seenIn: "SET XX by a client that assumes its process holds the lock",
  file: "src/script/exclusive_acquire.lua",
  find: "holder and holder == previous and holder ~= owner",
  replace: "holder and previous and holder ~= owner",
  where: ["network", "pause", "swarm"],
  killer: ["S4", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 56 },
};
