import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-of-all-holds",
  title: "the release of one hold frees the name of all",
  seenIn: "reentrant locks that delete the key with the first release",
  file: "sim/layouts/owned.js",
  find: "drop: () => settle(undefined),",
  replace: "drop: () => { keys.delete(lockKey, nowMs); keys.delete(holds, nowMs); },",
  where: ["owners"],
  killer: ["S4", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
