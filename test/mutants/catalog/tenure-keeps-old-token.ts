import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "tenure-keeps-old-token",
  title: "a restored hold reinstates its token as the owner's, though the counter has moved on",
  seenIn: "tokens stored beside a lock that a late message may write",
  file: "src/script/kinds/owned.lua",
  find: "  if fence ~= token and not is_drawn_for(lock, token, fence) then return end\n",
  replace: "",
  where: ["owners"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 101 },
};
