import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "picky-blocks-the-rest",
  title: "a waiter that no answer satisfies keeps a free name from everyone behind it",
  seenIn: "a queue whose head retries until its own deadline",
  file: "src/coordinator/wait-queues.js",
  find: 'member.keys.queue.rotates || (failure.kind !== "refused" && !fair)',
  replace: "member.keys.queue.rotates",
  where: ["mixed"],
  killer: ["L2"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 18 },
};
