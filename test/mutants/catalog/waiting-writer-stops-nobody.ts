import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "waiting-writer-stops-nobody",
  title: "readers are admitted although a writer waits",
  seenIn: "read-write locks that prefer readers",
  file: "src/script/kinds/shared.lua",
  find: "if may_look and is_behind then",
  replace: "if false then",
  where: ["shared"],
  killer: ["W2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 6 },
};
