import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "monotonic-only",
  title: "the lease clock stands still during a suspend",
  seenIn: "whatever counts leases on performance.now or hrtime",
  file: "protocol/lease-clock.js",
  find: "growthMs > CLOCK_BAND_MS",
  replace: "false",
  // The simulator foresees the end of a lease by both clocks, and would wait for ever for the wall clock.
  also: [
    {
      file: "sim/sim-process.js",
      find: "const byWall = this.#wall.trueAt((leaseMs + gapMs - addedMs + 1) * 1_000);",
      replace: "const byWall = bySteady;",
    },
  ],
  where: ["suspend"],
  // By what it does to a store: when its beliefs end, the simulator foresees by the second change.
  killer: ["F3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
