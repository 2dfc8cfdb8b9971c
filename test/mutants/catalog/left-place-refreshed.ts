import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "left-place-refreshed",
  title: "abandoned queue entries are still refreshed",
  seenIn: "a heartbeat that is never told to stop",
  file: "src/coordinator/places.js",
  find: "this.#places.delete(place);\n        if (this.#places.size === 0)",
  replace: "if (this.#places.size === 0)",
  where: ["waiting"],
  killer: ["W3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
