import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "owner-not-compared",
  title: "an owner enters where another owner is in",
  seenIn: "reentrant locks that look whether the name is locked for any owner",
  file: "sim/layouts/owned.js",
  find: "lockText() === marker",
  replace: "lockText()?.startsWith(OWNER_PREFIX) === true",
  where: ["owners"],
  killer: ["S2", "S1", "S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 15 },
};
