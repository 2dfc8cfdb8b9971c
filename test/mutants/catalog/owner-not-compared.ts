import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "owner-not-compared",
  title: "an owner enters while another owner holds the name",
  seenIn: "reentrant locks that only check whether the name is locked for any owner",
  file: "src/script/kinds/owned.lua",
  find: "return call('GET', lock.key) == lock.marker",
  replace: "return string.find(call('GET', lock.key) or '', OWNER_PREFIX, 1, true) == 1",
  where: ["owners"],
  killer: ["S2", "S1", "S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 15 },
};
