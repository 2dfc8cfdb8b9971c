import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-release-leaves-names",
  title: "a release of a set frees only its first name",
  seenIn: "a release that knows one key",
  file: "sim/layouts/several.js",
  find: "if (!isMine(member))",
  replace: "if (index > 0 || !isMine(member))",
  where: ["several"],
  killer: ["L3"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 23 },
};
