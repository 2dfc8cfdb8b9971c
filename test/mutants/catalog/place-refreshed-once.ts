import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "place-refreshed-once",
  title: "places are refreshed once after one has come, and then no more",
  seenIn: "heartbeats that are armed by what begins, and not by themselves",
  file: "src/coordinator/places.js",
  find: "refresh.send(this.#inbox, nowMs);\n        this.#schedulePass();",
  replace: "refresh.send(this.#inbox, nowMs);",
  where: ["waiting"],
  killer: ["W3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 36 },
};
