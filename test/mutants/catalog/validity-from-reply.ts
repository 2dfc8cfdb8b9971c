import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "validity-from-reply",
  title: "validity is counted from the last reply",
  seenIn: "implementations that read the clock after the round",
  file: "src/coordinator/attempt.js",
  find: "validUntilMs(this.#firstSendMs, ttlMs, driftFactor)",
  replace: "validUntilMs(this.#context.clock.now(), ttlMs, driftFactor)",
  where: ["network"],
  killer: ["S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
