import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-drift",
  title: "no allowance for clocks with different rates",
  seenIn: "most short implementations",
  file: "src/protocol/validity.js",
  find: "firstSendMs + ttlMs - driftMs(ttlMs, driftFactor)",
  replace: "firstSendMs + ttlMs",
  where: ["skew"],
  killer: ["S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 38 },
};
