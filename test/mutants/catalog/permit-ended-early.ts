import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "permit-ended-early",
  title: "a permit is given to another client shortly before it expires on the node",
  seenIn: "semaphores that expire holders by an age that each client computes",
  file: "src/script/kinds/slot.lua",
  find: "if score >= now_ms() then",
  replace: "if score >= now_ms() + 20 then",
  where: ["semaphore"],
  killer: ["S1", "S2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 363 },
};
