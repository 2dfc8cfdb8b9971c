import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "redlock-without-drift",
  title: "by redlock's interface a lock is believed in for all that its keys live",
  seenIn: "validity that is the ttl less what the votes took",
  file: "src/redlock/take-all.js",
  find: "validUntilMs(firstSendMs, ttlMs, driftFactor)",
  replace: "firstSendMs + ttlMs",
  where: ["drop-in"],
  killer: ["S3", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
