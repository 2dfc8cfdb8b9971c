import { REPLIES_OF_THE_HOLDER } from "../directed.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "same-numbers-everywhere",
  title: "the numbers of requests begin at 1 on every connection",
  seenIn: "protocols that count requests by connection",
  file: "src/channel/out-of-step.js",
  find: "return 1 + high * HALF + low;",
  replace: "return 1;",
  where: [REPLIES_OF_THE_HOLDER],
  killer: ["S1"],
  seedBudget: 50,
  killedBy: { where: 0, seed: 1 },
};
