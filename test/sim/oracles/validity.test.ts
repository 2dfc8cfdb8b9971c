import { judgeCases } from "../../support/check/cases.js";
import { grant, validity, vote, wonRound } from "../../support/check/events.js";

const won = wonRound("A", 0, 5);
const granted = [...won, grant(5, "A")];
/** By a message: node by node, when the call was sent on which it relies, ms. */
const told = (...sentMs: number[]) =>
  sentMs.map((ms, node) => vote(5, "A", node, { told: { ttlMs: 1_000, askedUs: 0, sentMs: ms } }));
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
        title: "votes by messages: validity from the oldest call of the youngest quorum",
        events: [...told(-100, -300, -200), grant(5, "A", { validUntilMs: 788 })],
      },
      {
        title: "a vote by a message, and the answer of another node to a later call",
        events: [
          ...[...told(-100), ...wonRound("A", 0, 5, [1])],
          grant(5, "A", { validUntilMs: 888 }),
        ],
      },
      {
        title: "a node that tells of a grant once more after it has answered",
        events: [...wonRound("A", 0, 5), ...told(-100), grant(5, "A")],
      },
      {
        title: "a token that one node told of, and drew another for a later call",
        events: [
          ...wonRound("A", 0, 5, [0], { fence: 7 }),
          vote(5, "A", 1, { fence: 9 }),
          vote(5, "A", 1, { fence: 7, told: { ttlMs: 1_000, askedUs: 0, sentMs: -100 } }),
          grant(5, "A", { token: 7 }),
        ],
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
      {
        title: "validity from the youngest call that messages name",
        events: [...told(-100, -200), grant(5, "A", { validUntilMs: 888 })],
      },
      {
        title: "validity from when messages came",
        events: [...told(-100, -100), grant(5, "A", { validUntilMs: 988 })],
      },
      { title: "a message of a minority", events: [...told(0), grant(5, "A")] },
      {
        title: "the life of another key than the messages' own",
        events: [
          ...[0, 1].map((node) =>
            vote(5, "A", node, { told: { ttlMs: 500, askedUs: 0, sentMs: 0 } }),
          ),
          grant(5, "A"),
        ],
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
