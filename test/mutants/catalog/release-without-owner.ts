import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-without-owner",
  title: "a release deletes the key of any holder",
  seenIn: "DEL instead of compare-and-delete",
  file: "src/script/steps/release.lua",
  find: "if is_ours then kind.drop(lock) elseif kind.drop_rest then kind.drop_rest(lock) end",
  replace: "kind.drop(lock)",
  where: ["network", "pause"],
  killer: ["S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
