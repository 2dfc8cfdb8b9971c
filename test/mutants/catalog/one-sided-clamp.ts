import { BEHIND_AFTER_FORGETTING } from "../directed.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-sided-clamp",
  title: "a proposal far in the past is accepted",
  seenIn: "a limit on the future only",
  file: "src/script/fast/acquire.lua",
  find: "if not top or fence < low or fence > high then",
  replace: "if not top or fence > high then",
  also: [
    {
      file: "src/script/lib/fences.lua",
      find: "math.min(math.max(tonumber(lock.token), lock.low), lock.high)",
      replace: "math.min(tonumber(lock.token), lock.high)",
    },
  ],
  where: [BEHIND_AFTER_FORGETTING, "crash"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 1 },
};
