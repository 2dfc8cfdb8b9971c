import { loadFailure } from "../../../sim/cli/failure-file.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "redlock-begins-again",
  title: "by redlock's interface an attempt that begins again goes under the value of the first",
  seenIn: "one random value for all tries of a lock",
  file: "src/redlock/take-all.js",
  find: "const value = taken[0]?.ownerId;",
  replace: "const value = taken[0]?.ownerId ?? entropy.id();",
  also: [
    {
      file: "src/redlock/take-all.js",
      find: "beginsOnce: value !== undefined",
      replace: "beginsOnce: false",
    },
  ],
  where: [loadFailure("test/sim/corpus/drop-in-31076-S5.json").scenario],
  killer: ["S5", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 88 },
};
