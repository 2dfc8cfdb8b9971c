import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "heal-after-force",
  title: "a renewal in flight restores a lock that an operator ended",
  seenIn: "unlock commands that delete keys, and holders that restore missing keys",
  file: "src/script/slow_path.lua",
  find: "step == 'heal' or is_wary and step == 'acquire'",
  replace: "is_wary and step == 'acquire'",
  where: ["force"],
  killer: ["H2"],
  seedBudget: 1000,
  killedBy: { where: 0, seed: 332 },
};
