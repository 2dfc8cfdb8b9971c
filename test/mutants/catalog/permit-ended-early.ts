import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "permit-ended-early",
  title: "a permit is another's to have a little before its time is over on the node",
  seenIn: "semaphores that count holders out by an age that each caller works out",
  file: "src/script/kinds/slot.lua",
  find: "if score >= now_ms() then",
  replace: "if score >= now_ms() + 20 then",
  where: ["semaphore"],
  killer: ["S1", "S2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 363 },
};
