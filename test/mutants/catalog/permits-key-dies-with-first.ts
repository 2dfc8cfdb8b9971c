import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "permits-key-dies-with-first",
  title: "the key of the name goes with the first permit that is released, while others are held",
  seenIn: "semaphores whose mark on the name is deleted by whoever leaves",
  file: "sim/layouts/slot.js",
  find: "drop: () => settle(others(place)),",
  replace: "drop: () => { settle(others(place)); call.keys.delete(lockKey, nowMs); },",
  where: ["semaphore"],
  killer: ["S2", "S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
