import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "reader-by-lock-key",
  title: "a reader whose time is over is renewed as long as the lock key is there",
  seenIn: "extends that look at the key of all readers, not at their own entry",
  file: "sim/layouts/shared.js",
  find: "const isAlive = score !== undefined && score >= nowMs && lockText() === SHARED;\n        return isAlive ? score : undefined;",
  replace: "return lockText() === SHARED ? (score ?? nowMs) : undefined;",
  where: ["shared"],
  killer: ["S4", "S3"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
