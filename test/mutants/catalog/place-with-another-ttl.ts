import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "place-with-another-ttl",
  title: "the queue lives on for longer than any place in it counts",
  seenIn: "a ttl chosen generously, because the key is only bookkeeping",
  file: "src/script/lib/queue.lua",
  find: "call('PEXPIRE', of, PLACE_MS)",
  replace: "call('PEXPIRE', of, 4 * PLACE_MS)",
  where: ["waiting"],
  killer: ["W3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
