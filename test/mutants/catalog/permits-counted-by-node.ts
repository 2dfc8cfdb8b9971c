import type { Mutant } from "../mutant.js";
import { threeOfTwo } from "../directed-permits.js";

export const mutant: Mutant = {
  id: "permits-counted-by-node",
  title: "each node lets in as many holders as there are permits, whichever those are",
  seenIn: "semaphores on several masters that count holders in a sorted set on each",
  file: "sim/layouts/slot.js",
  find: "if (who !== undefined && who !== ownerId && who !== turn)",
  replace:
    "if (all.filter(({ owner }) => owner !== ownerId && owner !== turn).length >= Number(permits))",
  where: [threeOfTwo],
  killer: ["K1"],
  seedBudget: 40,
  killedBy: { where: 0, seed: 1 },
};
