import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "owner-waits-for-itself",
  title: "an owner that re-enters waits behind clients that wait for it",
  seenIn: "fair reentrant locks that queue before they check",
  file: "src/coordinator/queued-acquire.js",
  find: "if (!this.#isOwned)\n            this.#timer.sleepUntil(this.request.deadlineMs);",
  replace: "if (true)\n            this.#timer.sleepUntil(this.request.deadlineMs);",
  where: ["owners"],
  killer: ["O2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 52 },
};
