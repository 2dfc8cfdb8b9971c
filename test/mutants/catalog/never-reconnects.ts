import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "never-reconnects",
  title: "a broken connection is not reopened",
  seenIn: "retry limits of a driver",
  file: "src/channel/node-connections.js",
  find: "this.#timer = this.#clock.setTimer(delayMs, () => this.connect());",
  replace: "",
  where: ["network", "crash"],
  killer: ["L2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 4 },
};
