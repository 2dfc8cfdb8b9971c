import { fromCorpus } from "../../support/sim/corpus.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "gives-way-when-lost",
  title:
    "a call is told that the name is held, because its process steals it, though its attempt had failed for silence",
  seenIn: "interruptions that hide how an attempt ended",
  file: "src/coordinator/pending-acquire.js",
  find: "!isUnderWay || isLost || ",
  replace: "!isUnderWay || ",
  where: [fromCorpus("steal-64000237-E1.json")],
  killer: ["E1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
