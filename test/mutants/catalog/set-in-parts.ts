import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-in-parts",
  title: "a set takes those of its names that are free, and that is enough",
  seenIn: "names that are locked one by one, without looking at what each of them said",
  file: "sim/layouts/several.js",
  find: "const refusal = blocker();",
  replace:
    "const refusal = members.some(({ lockKey }) => (get(call, lockKey)?.text ?? ownerId) === ownerId) ? undefined : blocker();",
  also: [
    {
      file: "sim/layouts/several.js",
      find: "for (const { lockKey } of members) {\n            const mine",
      replace:
        "for (const { lockKey } of members.filter((member) => get(call, member.lockKey) === undefined || isMine(member))) {\n            const mine",
    },
  ],
  where: ["several"],
  killer: ["S1", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 2 },
};
