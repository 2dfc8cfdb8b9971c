import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lock-delay-not-stored",
  title: "only the holder itself can start the lock-delay",
  seenIn: "delays kept by the client, so none after a crash",
  file: "src/protocol/delays.js",
  find: "return lockDelayMs === 0 ? ttlMs : ttlMs + outwaitMs(lockDelayMs, driftFactor);",
  replace: "return ttlMs;",
  where: ["delays"],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 25 },
};
