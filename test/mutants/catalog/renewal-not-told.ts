import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "renewal-not-told",
  title: "a renewal that leaves a distant expiry unchanged is not noticed",
  seenIn: "PEXPIRE GT, or keys that are only ever extended",
  file: "src/script/fast/extend.lua",
  find: "if moved == 1 or not string.find(values[m], SHOWN_OWNER) then replies[n + m] = 0 end",
  replace: "replies[n + m] = 0",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 286 },
};
