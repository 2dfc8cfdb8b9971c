import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "owner-waits-for-itself",
  title: "an owner that is in waits behind those who wait for it",
  seenIn: "fair reentrant locks that queue up before they look",
  file: "src/coordinator/queued-acquire.js",
  find: "if (!this.#isOwned)\n            this.#timer.sleepUntil(this.#request.deadlineMs);",
  replace: "if (true)\n            this.#timer.sleepUntil(this.#request.deadlineMs);",
  where: ["owners"],
  killer: ["O2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 52 },
};
