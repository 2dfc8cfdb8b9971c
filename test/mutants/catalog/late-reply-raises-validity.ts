import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "late-reply-raises-validity",
  title: "a late answer to an extend extends validity from its arrival",
  seenIn: "renewals that treat every answer as new",
  file: "src/coordinator/lease-renewal.js",
  find: "onStraggler: (index, vote, result) => {",
  replace:
    'onStraggler: (index, vote, result) => {\n                if (vote.kind === "granted" && lease.isHeld()) this.#onExtended(clock.now(), result.votes);',
  where: ["network"],
  killer: ["S3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 3 },
};
