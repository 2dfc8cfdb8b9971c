import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-lifts-no-fence",
  title: "a release leaves lower counters as they are",
  seenIn: "a counter touched by grants only",
  file: "sim/node-script.js",
  find: "    if (token === undefined)\n        return;",
  replace: "    return;",
  where: ["jump", "wildskew", "crash"],
  killer: ["F1"],
  seedBudget: 40,
  survives:
    "the clamp on proposals and the quarantine keep tokens in order by time already; the lift matters where clocks are not to be trusted and a node forgets, and there no order is promised",
};
