import { fromCorpus } from "../../support/sim/corpus.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "gives-way-for-ever",
  title: "a call whose time is over asks again whenever its process steals the name",
  seenIn: "retries that forget their deadline when they are interrupted",
  file: "src/coordinator/pending-acquire.js",
  find: "const hasTime = nowMs < this.#request.deadlineMs;",
  replace: "const hasTime = true;",
  where: [fromCorpus("steal-59000571-L1.json")],
  killer: ["L1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
