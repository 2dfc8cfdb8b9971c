import { REPLIES_OF_THE_HOLDER } from "../directed.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reply-number-not-compared",
  title: "a reply counts for whichever request is the oldest without one",
  seenIn: "clients behind a pooling proxy that mixes up replies",
  file: "src/channel/out-of-step.js",
  find: "return reply.number === number ? undefined : outOfStepFailure(number, reply.number);",
  replace: "return undefined;",
  where: [REPLIES_OF_THE_HOLDER],
  killer: ["S1"],
  seedBudget: 50,
  killedBy: { where: 0, seed: 1 },
};
