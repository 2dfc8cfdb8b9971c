import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "owner-field-not-compared",
  title: "an owner enters a hash whose field is another's",
  seenIn: "locks in a hash that ask for the key and not for the field",
  file: "sim/layouts/owned.js",
  find: "? fields().has(owner)",
  replace: "? fields().size > 0",
  where: ["owners"],
  killer: ["S2", "S1", "S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
