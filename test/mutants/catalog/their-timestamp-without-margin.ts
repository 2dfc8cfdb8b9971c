import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "their-timestamp-without-margin",
  title: "another client's timestamp is over as soon as our clock says so",
  seenIn: "the same, when reading",
  file: "src/script/kinds/timestamp.lua",
  find: "lock.unit_ms + TIMESTAMP_MARGIN_MS - now_ms()",
  replace: "lock.unit_ms - now_ms()",
  where: ["timestamp"],
  killer: ["S1", "S4"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 2 },
};
