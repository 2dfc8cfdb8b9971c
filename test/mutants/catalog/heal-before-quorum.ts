import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "heal-before-quorum",
  title: "nodes are healed before a quorum has matched",
  seenIn: "healing as the answers come",
  file: "coordinator/holding.js",
  find: 'const isProof = result.verdict === "won" && this.#provenAtMs === firstSendMs;',
  replace: "const isProof = true;",
  where: ["crash", "swarm", "network"],
  killer: ["S1", "S2", "Q1", "L3"],
  seedBudget: 40,
  survives:
    "a heal is sent only while the validity lasts and dies with the keys that proved it, so it prolongs no belief; who sends one early only keeps others waiting, for less than a ttl",
};
