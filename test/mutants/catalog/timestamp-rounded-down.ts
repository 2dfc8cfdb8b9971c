import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "timestamp-rounded-down",
  title: "a timestamp in seconds is rounded down",
  seenIn: "os.time() and integer division",
  file: "src/script/kinds/timestamp.lua",
  find: "math.ceil(ends / lock.unit_ms)",
  replace: "math.floor(ends / lock.unit_ms)",
  where: ["timestamp"],
  killer: ["S1", "S2"],
  seedBudget: 600,
  killedBy: { where: 0, seed: 28 },
};
