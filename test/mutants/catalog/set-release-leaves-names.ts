import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-release-leaves-names",
  title: "a release of a set frees only its first name",
  seenIn: "a release that knows one key",
  file: "src/script/kinds/several.lua",
  find: "    if try('GET', key) == lock.owner then\n",
  replace: "    if at == 1 and try('GET', key) == lock.owner then\n",
  where: ["several"],
  killer: ["L3"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 23 },
};
