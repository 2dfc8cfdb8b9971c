import { BEHIND_AFTER_FORGETTING } from "../directed.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-clamp",
  title: "a proposal is accepted without a limit",
  seenIn: "the client's wall clock as a counter",
  file: "src/script/fast/acquire.lua",
  find: "if not top or fence < low or fence > high then",
  replace: "if not top then",
  also: [
    {
      file: "src/script/lib/draw.lua",
      find: "math.min(math.max(fence, lock.low), lock.high)",
      replace: "fence",
    },
    {
      file: "src/script/lib/draw.lua",
      find: "fence >= lock.low and fence <= lock.high",
      replace: "true",
    },
  ],
  where: [BEHIND_AFTER_FORGETTING, "crash"],
  killer: ["F1"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 1 },
};
