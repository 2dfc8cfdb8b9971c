import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "ready-without-a-quorum",
  title: "a manager is ready as soon as one node votes",
  seenIn: "clients that are ready when any connection is",
  file: "src/protocol/readiness.js",
  find: 'countOf(nodes, "votes") >= needed ?',
  replace: 'countOf(nodes, "votes") >= 1 ?',
  where: ["pause", "datagram", "bursts"],
  killer: ["I2"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 1 },
};
