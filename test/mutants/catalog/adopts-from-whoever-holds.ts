import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "adopts-from-whoever-holds",
  title: "of two who adopt the same lock the second takes it from the first",
  seenIn: "taking over without comparing who held the key until then",
  file: "sim/node-script.js",
  find: "const isHandedOver = !isOurs && previous !== undefined && holder?.text === previous.ownerId;",
  replace:
    "const isHandedOver = !isOurs && previous !== undefined && (holder?.text === previous.ownerId || !holder?.text.startsWith(ownerId.slice(0, 2)));",
  where: ["adoption"],
  killer: ["S4", "S2", "H1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
