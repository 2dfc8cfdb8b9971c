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
      file: "src/script/lib/draw.lua",
      find: "math.min(math.max(fence, lock.low), lock.high)",
      replace: "math.min(fence, lock.high)",
    },
    {
      file: "src/script/lib/draw.lua",
      find: "fence >= lock.low and fence <= lock.high",
      replace: "fence <= lock.high",
    },
  ],
  where: [BEHIND_AFTER_FORGETTING, "crash"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 1 },
};
