import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "no-client-kill",
  title: "a new connection does not end the one before",
  seenIn: "reconnects that leave bytes behind",
  file: "sim/sim-transport.js",
  find: "if (!mustKill)",
  replace: "if (true)",
  where: ["network", "swarm"],
  killer: ["L3"],
  seedBudget: 300,
  killedBy: { where: 0, seed: 14 },
};
