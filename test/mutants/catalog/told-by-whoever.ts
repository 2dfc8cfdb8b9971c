import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "told-by-whoever",
  title: "a release that freed nothing also notifies the first waiter",
  seenIn: "a pub/sub message for every release, regardless of its sender",
  barriers: [
    {
      id: "let-go",
      title:
        "where no key is reserved for the notified waiter, only a release that freed something notifies",
      why: "a process limits the attempts per second that such messages can start",
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
      title: "a process limits the attempts per second that messages can start",
      why: "no node sends more messages on its own; other clients with permission to publish could",
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
