import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "seen-before-renewal",
  title: "a holder counts as seen since before its last renewal",
  seenIn: "a deadline from the first refusal on",
  file: "src/channel/overdue-holders.js",
  find: "isSameSign(each.text, text)",
  replace: 'each.text.split("@")[0] === text.split("@")[0]',
  also: [
    {
      file: "src/channel/overdue-holders.js",
      find: "watched.push(known ?? {",
      replace: "watched.push(known ? { ...known, text } : {",
    },
  ],
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 12 },
};
