import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "readers-by-client-clock",
  title: "a reader's expiry is an instant of its client's clock",
  seenIn: "sorted sets of holders by an expiry that each client works out for itself",
  file: "sim/layouts/shared.js",
  find: "Math.max(endsAt() ?? 0, nowMs + ttlMs)",
  // The proposal is the wall clock of the client.
  replace: "Math.max(endsAt() ?? 0, Math.floor((fence ?? nowMs * 1000) / 1000) + ttlMs)",
  also: [
    {
      file: "sim/layouts/shared.js",
      find: "{ keys: nameKeys, ownerId, ttlMs, waiter }",
      replace: "{ keys: nameKeys, ownerId, ttlMs, waiter, fence }",
    },
  ],
  where: ["shared"],
  killer: ["S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
