import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hand-over-keeps-token",
  title: "a hand-over leaves the counter, and so the fencing token, as it was",
  seenIn: "a lock that changes hands within a process without asking the server",
  file: "sim/node-script.js",
  find: "fence = nextFence(fenceOf(last), proposal, call.nowUs, call.fenceSlackUs);",
  replace:
    "fence = isHandedOver ? fenceOf(last) : nextFence(fenceOf(last), proposal, call.nowUs, call.fenceSlackUs);",
  where: ["calm", "network"],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 1 },
};
