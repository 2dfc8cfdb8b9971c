import { judgeCases } from "../../support/check/cases.js";
import { send, vote } from "../../support/check/events.js";

describe("oracle S5, votes", () => {
  judgeCases(
    "S5",
    [
      { title: "one vote of each node", events: [vote(1, "A", 0), vote(1, "A", 1)] },
      {
        title: "a release that failed, and was answered later",
        events: [
          vote(1, "A", 0, { op: "release", vote: "fault" }),
          vote(2, "A", 0, { op: "release" }),
        ],
      },
      { title: "one node in two rounds", events: [vote(1, "A", 0), vote(2, "A", 0, { round: 2 })] },
      {
        title: "one attempt to three nodes, then another's",
        events: [send(0, "A", 0), send(0, "A", 1), send(1, "B", 0, { round: 2 })],
      },
      {
        title: "an attempt that asks a node again that has refused it",
        events: [
          ...[send(0, "A", 0), send(0, "A", 1), vote(1, "A", 0, { vote: "refused" })],
          ...[send(2, "A", 0, { round: 2 }), vote(3, "A", 0, { round: 2 })],
        ],
      },
    ],
    [
      {
        title: "an attempt that asks a node again that has granted",
        events: [send(0, "A", 0), vote(1, "A", 0), send(2, "A", 0, { round: 2 })],
      },
      {
        title: "an attempt that asks a node again twice, which refused once",
        events: [
          ...[send(0, "A", 0), vote(1, "A", 0, { vote: "refused" })],
          ...[send(2, "A", 0, { round: 2 }), send(3, "A", 0, { round: 3 })],
        ],
      },
      { title: "a second vote of a node", events: [vote(1, "A", 0), vote(2, "A", 0)] },
      {
        title: "a second vote on a release",
        events: [vote(1, "A", 0, { op: "release" }), vote(2, "A", 0, { op: "release" })],
      },
      {
        title: "an ownerId that is used again",
        events: [send(0, "A", 0), send(9, "A", 0, { round: 2 })],
      },
    ],
  );
});
