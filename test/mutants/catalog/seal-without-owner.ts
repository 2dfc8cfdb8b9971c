import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "seal-without-owner",
  title: "a token is stored on a node whoever holds it",
  seenIn: "a counter that is set beside the lock",
  file: "sim/node-script.js",
  find: "function seal(call, { keys, ownerId, fence: token = 0 }) {\n    const holder = get(call, keys.lockKey);\n    if (holder === undefined)\n        return FREE;\n    if (holder.text !== ownerId)\n        return refuse(call, holder);\n",
  replace: "function seal(call, { keys, fence: token = 0 }) {\n",
  where: ["jump", "wildskew", "datagram"],
  killer: ["F1"],
  seedBudget: 40,
  survives:
    "the counter of a node takes every value once, so a token that was strictly lifted there is unique whoever holds the key; only together with a seal that is not strict does it break, see seal-bare-max",
};
