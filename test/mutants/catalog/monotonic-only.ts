import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "monotonic-only",
  title: "the lease clock stops during a suspend",
  seenIn: "leases measured with performance.now or hrtime",
  file: "src/protocol/lease-clock.js",
  find: "growthMs > CLOCK_BAND_MS",
  replace: "false",
  where: ["suspend"],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 15 },
};
