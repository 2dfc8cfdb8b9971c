import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "ready-in-quarantine",
  title: "a quarantined node is reported as ready",
  seenIn: "health checks that only check the connection",
  file: "src/channel/node-channel.js",
  find: 'return this.quarantineLeftMs > 0 ? "quarantined" : "ready";',
  replace: 'return "ready";',
  where: ["pause", "datagram", "bursts"],
  killer: ["I2"],
  seedBudget: 400,
  killedBy: { where: 1, seed: 6 },
};
