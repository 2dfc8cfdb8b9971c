import { judgeCases } from "../../support/check/cases.js";
import { grant, validity, vote, wonRound } from "../../support/check/events.js";

const won = wonRound("A", 0, 5);
const granted = [...won, grant(5, "A")];
const extend = (nodes: number[], name = "a") =>
  wonRound("A", 500_000, 500_005, nodes, { op: "extend", round: 2, fence: 0, name });

describe("oracle S3, validity", () => {
  judgeCases(
    "S3",
    [
      { title: "validity of exactly ttl less drift from the first send", events: granted },
      { title: "an extension", events: [...granted, ...extend([1, 2]), validity(500_005, "A")] },
      {
        title: "an extension of a set",
        events: [...granted, ...extend([1, 2], "a, b"), validity(500_005, "A")],
      },
      {
        title: "a token that one node was sealed with",
        events: [
          ...wonRound("A", 0, 5, [0]),
          vote(5, "A", 1, { fence: 7 }),
          ...wonRound("A", 5, 6, [0], { op: "seal", round: 2, fence: 7 }),
          grant(6, "A", { token: 7 }),
        ],
      },
    ],
    [
      {
        title: "a microsecond more",
        events: [...won, grant(5, "A", { validUntilMs: 988.001 })],
      },
      { title: "no drift taken off", events: [...won, grant(5, "A", { validUntilMs: 1_000 })] },
      {
        title: "validity counted from the answer",
        events: [...wonRound("A", 0, 5_000), grant(5_000, "A", { validUntilMs: 993 })],
      },
      { title: "a grant at the end of its validity", events: [...won, grant(988_000, "A")] },
      {
        title: "an extension that a minority granted",
        events: [...granted, ...extend([1]), validity(500_005, "A")],
      },
      {
        title: "an extension of another of its names",
        events: [...granted, ...extend([0, 1, 2], "b"), validity(500_005, "A")],
      },
      {
        title: "an extension before its answers",
        events: [...granted, validity(500_004, "A"), ...extend([0, 1])],
      },
      {
        title: "a token that a minority stores",
        events: [
          ...wonRound("A", 0, 5),
          vote(5, "A", 2, { fence: 9 }),
          grant(5, "A", { token: 9 }),
        ],
      },
    ],
  );
});
