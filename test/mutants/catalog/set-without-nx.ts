import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-without-nx",
  title: "an acquire takes the key from any holder",
  seenIn: "SET without NX",
  file: "src/script/fast/acquire.lua",
  find: "args[a_of + ARG_OWNER], 'NX', 'PX', ttl)",
  replace: "args[a_of + ARG_OWNER], 'PX', ttl)",
  where: ["calm"],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
