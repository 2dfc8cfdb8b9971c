import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "close-leaves-timer",
  title: "a timer of close outlives it",
  seenIn: "Promise.race against a timer that is never cleared",
  file: "src/channel/pipeline.js",
  find: "timer.cancel();\n                resolve();",
  replace: "resolve();",
  where: ["calm"],
  killer: ["L4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
