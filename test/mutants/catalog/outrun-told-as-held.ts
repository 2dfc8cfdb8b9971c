import { fromCorpus } from "../../support/sim/corpus.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "outrun-told-as-held",
  title:
    "a reader, or another lock of one owner, whose token comes second is told that the name is held",
  seenIn: "locks that take every refusal of a token for a holder",
  file: "src/coordinator/sealing.js",
  find: "return this.votes.filter(isNoFence).length <= toleratedCount(this.nodeCount);",
  replace: "return false;",
  where: [fromCorpus("steps-58000529-O2.json")],
  killer: ["O2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 6 },
};
