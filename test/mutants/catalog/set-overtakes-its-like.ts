import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-overtakes-its-like",
  title: "a set that lets others pass also lets equal sets pass",
  seenIn: "a wait queue that is rotated one by one",
  file: "src/coordinator/wait-queue.js",
  find: "if (isBehindFair || saysTo(failure, member.request, request))",
  replace: "if (each === member)",
  where: ["several"],
  killer: ["W1"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 7 },
};
