import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "again-takes-what-is-free",
  title: "whoever asks before its place whether its owner is in takes a name that is free",
  seenIn: "reentrant locks whose second try is like the first",
  file: "src/script/kinds/owned.lua",
  find: "    if is_acquire and lock.must_be_in then return 'free' end\n",
  replace: "",
  where: ["owners"],
  killer: ["O2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
