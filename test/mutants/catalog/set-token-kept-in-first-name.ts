import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-token-kept-in-first-name",
  title: "the token of a set is stored in the counter of its first name only",
  seenIn: "sets with the counter of one of their names",
  file: "sim/node-steps.js",
  find: "export function storeFence(call, keys, fence) {\n    for (const { fenceKey } of membersOfSet(keys)) {",
  replace:
    "export function storeFence(call, keys, fence) {\n    for (const { fenceKey } of membersOfSet(keys).slice(0, 1)) {",
  also: [
    {
      file: "sim/node-steps.js",
      find: "for (const { fenceKey } of membersOfSet(keys)) {\n        if (",
      replace: "for (const { fenceKey } of membersOfSet(keys).slice(0, 1)) {\n        if (",
    },
  ],
  where: ["several"],
  killer: ["F1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 9 },
};
