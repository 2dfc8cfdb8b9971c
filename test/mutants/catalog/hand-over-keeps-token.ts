import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hand-over-keeps-token",
  title: "a hand-over leaves the counter, and so the fencing token, as it was",
  seenIn: "a lock that changes hands within a process without asking the server",
  file: "sim/node-script.js",
  find: "const fence = storeNextFence(call, operation);",
  replace:
    "const fence = isHandedOver ? Number(get(call, keys.fenceKey).text) : storeNextFence(call, operation);",
  where: ["calm", "network"],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 1 },
};
