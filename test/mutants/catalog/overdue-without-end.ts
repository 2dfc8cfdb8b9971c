import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "overdue-without-end",
  title: "an overdue holder is ended although it has renewed since",
  seenIn: "comparing the owner alone",
  file: "src/script/lib/standing.lua",
  find: "  if sign == of then return true end\n",
  replace:
    "  if string.match(sign, '^.*@') == string.match(of or '', '^.*@') then return true end\n",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 12 },
};
