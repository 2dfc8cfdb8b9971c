import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "redlock-release-not-owed",
  title: "in redlock's interface, a node that is down gets no release later",
  seenIn: "releases that are sent once, to the nodes that answer",
  file: "src/redlock/release-all.js",
  find: "this.#isFirst ? ALL_NODES : 0",
  replace: "0",
  where: ["drop-in"],
  killer: ["L3"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 288 },
};
