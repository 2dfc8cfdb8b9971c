import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "again-takes-what-is-free",
  title:
    "an owner that asks early whether it already holds the name takes a free name ahead of the queue",
  seenIn: "reentrant locks whose second attempt is like the first",
  file: "src/script/kinds/owned.lua",
  find: "    if is_acquire and lock.must_be_in then return 'free' end\n",
  replace: "",
  where: ["owners"],
  killer: ["O2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
