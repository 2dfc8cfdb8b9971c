import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "place-with-another-ttl",
  title: "the queue outlives every entry in it",
  seenIn: "a generous ttl, because the key is only bookkeeping",
  file: "src/script/queue/join.lua",
  find: "call('PEXPIRE', of, PLACE_MS)",
  replace: "call('PEXPIRE', of, 4 * PLACE_MS)",
  where: ["waiting"],
  killer: ["W3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
