import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "owner-field-not-compared",
  title: "an owner enters a hash whose field belongs to another",
  seenIn: "locks in a hash that check the key but not the field",
  file: "src/script/kinds/owned.lua",
  find: "return call('HGET', lock.key, lock.name) and true end",
  replace: "return call('HLEN', lock.key) > 0 end",
  where: ["owners"],
  killer: ["S2", "S1", "S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
