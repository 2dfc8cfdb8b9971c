import { fromCorpus } from "../directed.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "outrun-told-as-held",
  title:
    "a reader, or another lock of one owner, whose token comes second is told that the name is held",
  seenIn: "locks that take every refusal of a token for a holder",
  file: "src/coordinator/sealing.js",
  find: "return this.votes.filter(isNoFence).length <= tolerated;",
  replace: "return false && tolerated;",
  where: [fromCorpus("steps-58000529-O2")],
  killer: ["O2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 6 },
};
