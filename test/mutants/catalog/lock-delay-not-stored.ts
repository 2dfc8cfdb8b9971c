import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lock-delay-not-stored",
  title: "a lock-delay that only its holder could begin",
  seenIn: "delays that a client keeps by itself, and so none after a crash",
  file: "src/protocol/delays.js",
  find: "return lockDelayMs === 0 ? ttlMs : ttlMs + outwaitMs(lockDelayMs, driftFactor);",
  replace: "return ttlMs;",
  where: ["delays"],
  killer: ["D1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 25 },
};
