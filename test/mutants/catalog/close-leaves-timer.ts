import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "close-leaves-timer",
  title: "the patience of a close outlives it",
  seenIn: "Promise.race against a timer that nobody clears",
  file: "src/channel/pipeline.js",
  find: "timer.cancel();\n                resolve();",
  replace: "resolve();",
  where: ["calm"],
  killer: ["L4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
