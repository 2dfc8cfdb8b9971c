import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "run-id-not-compared",
  title: "a record that survived a restart is taken for proof of memory",
  seenIn: "amnesia told by a marker key alone",
  file: "sim/node-hello.js",
  find: "record.runId === runId",
  replace: "true",
  where: ["crash", "swarm"],
  killer: ["Q1", "S1"],
  seedBudget: 40,
  survives:
    "a simulated restart keeps everything or nothing; it lacks one that keeps the record and loses the last writes, as a snapshot does",
};
