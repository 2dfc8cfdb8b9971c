import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "permit-ended-early",
  title: "a permit is another's to have a little before its time is over on the node",
  seenIn: "semaphores that count holders out by an age that each caller works out",
  file: "sim/layouts/slot.js",
  find: ".filter(({ score }) => score >= nowMs)\n        .map(",
  replace: ".filter(({ score }) => score >= nowMs + 20)\n        .map(",
  where: ["semaphore"],
  killer: ["S1", "S2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 209 },
};
