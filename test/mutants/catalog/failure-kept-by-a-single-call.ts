import { fromCorpus } from "../../support/sim/corpus.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "failure-kept-by-a-single-call",
  title: "waiters are not told what a call of their process that does not wait found out",
  seenIn: "queues that share only what their own members were told",
  file: "src/coordinator/pending-acquire.js",
  find: 'if (this.#queued === undefined && failure.kind !== "unreachable")',
  replace: "if (this.#queued === undefined)",
  where: [fromCorpus("bursts-59000038-E1.json")],
  killer: ["E1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 6 },
};
