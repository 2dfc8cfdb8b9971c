import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "redlock-without-drift",
  title: "in redlock's interface, validity is the whole life of the keys",
  seenIn: "validity computed as the ttl minus the time of the round",
  file: "src/redlock/take-all.js",
  find: "validUntilMs(firstSendMs, ttlMs, driftFactor)",
  replace: "firstSendMs + ttlMs",
  where: ["drop-in"],
  killer: ["S3", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
