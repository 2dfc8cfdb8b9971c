import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "attests-too-early",
  title: "a node that lost its data is watched for only half of the longest lease",
  seenIn: "delays that are guessed",
  file: "src/channel/quarantine.js",
  find: "return quarantineLeftMs(sinceMs, lengthMs, this.#clock.steady());",
  replace: "return quarantineLeftMs(sinceMs, lengthMs / 2, this.#clock.steady());",
  where: ["crash", "swarm"],
  killer: ["Q1", "S1"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 83 },
};
