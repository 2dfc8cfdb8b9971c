import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "timestamp-without-margin",
  title: "our timestamp has no margin for the clock of its reader",
  seenIn: "locks whose key states its end, read on several clocks",
  file: "src/script/kinds/timestamp.lua",
  find: "lock.ttl + TIMESTAMP_MARGIN_MS",
  replace: "lock.ttl",
  where: ["timestamp"],
  killer: ["S1", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 3 },
};
