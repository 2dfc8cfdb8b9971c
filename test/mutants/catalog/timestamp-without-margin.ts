import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "timestamp-without-margin",
  title:
    "a timestamp of ours says when the lock ends, with nothing added for the clock of whoever reads it",
  seenIn: "locks whose key says when they end, read by several clocks",
  file: "src/script/kinds/timestamp.lua",
  find: "lock.ttl + TIMESTAMP_MARGIN_MS",
  replace: "lock.ttl",
  where: ["timestamp"],
  killer: ["S1", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 3 },
};
