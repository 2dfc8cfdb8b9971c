import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "ready-in-quarantine",
  title: "a node in quarantine is called ready",
  seenIn: "health checks that ask for the connection only",
  file: "src/channel/node-channel.js",
  find: 'return this.quarantineLeftMs > 0 ? "quarantined" : "ready";',
  replace: 'return "ready";',
  where: ["pause", "datagram", "bursts"],
  killer: ["I2"],
  seedBudget: 400,
  killedBy: { where: 1, seed: 6 },
};
