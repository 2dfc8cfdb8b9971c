import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "told-by-whoever",
  title: "also one who had nothing to let go of tells the first who waits that the name is free",
  seenIn: "a pub/sub message for every release, whoever sends it",
  barriers: [
    {
      id: "let-go",
      title:
        "where no key is reserved for whoever is told, only a release that let go of something tells",
      why: "a process begins only so many attempts a second because of such messages",
      quietIn: ["owners"],
      patches: [
        {
          file: "src/script/steps/release.lua",
          find: "is_ours or not lock.reserves_nothing",
          replace: "true",
        },
      ],
    },
    {
      id: "allowance",
      title: "a process begins only so many attempts a second because of messages",
      why: "no node tells it more often by itself; others who may publish could",
      quietIn: ["owners"],
      patches: [
        {
          file: "src/coordinator/queued-acquire.js",
          find: "return this.#turnTries.take(nowMs);",
          replace: "return true;",
        },
      ],
    },
  ],
  where: ["owners"],
  killer: ["L5"],
  seedBudget: 3_000,
  killedBy: { where: 0, seed: 26 },
};
