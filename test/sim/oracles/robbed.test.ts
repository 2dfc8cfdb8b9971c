import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { grant, key, validity, wonRound } from "../../support/check/events.js";

const robbed = (atUs: number, node: number, isTrespass = true): HistoryEvent => {
  return key(atUs, node, "A", "F", { op: "foreign", isTrespass });
};
const extended = (sentUs: number, votedUs: number, round = 2): HistoryEvent[] => [
  ...wonRound("A", sentUs, votedUs, [0, 1], { op: "extend", round }),
  validity(votedUs, "A"),
];

describe("oracle H3, robbed by foreign code", () => {
  judgeCases(
    "H3",
    [
      { title: "a lock that is not extended", events: [grant(0, "A"), robbed(5, 0), robbed(6, 1)] },
      {
        title: "an extension where too few nodes were taken",
        events: [grant(0, "A"), robbed(5, 2), ...extended(10, 20)],
      },
      {
        title: "an extension that was under way",
        events: [
          grant(0, "A"),
          ...wonRound("A", 5, 20, [0, 1], { op: "extend" }),
          ...[robbed(10, 0), robbed(11, 1), validity(20, "A")],
        ].toSorted((a, b) => a.atUs - b.atUs),
      },
      {
        title: "a node that was healed before the next was taken",
        events: [
          ...[grant(0, "A"), robbed(5, 0), key(6, 0, undefined, "A", { op: "heal" }), robbed(7, 1)],
          ...extended(10, 20),
        ],
      },
      {
        title: "a key that foreign code had a right to take",
        events: [grant(0, "A"), robbed(5, 0, false), robbed(6, 1, false), ...extended(10, 20)],
      },
    ],
    [
      {
        title: "an extension that began after a quorum was taken",
        events: [grant(0, "A"), robbed(5, 0), robbed(6, 1), ...extended(10, 20)],
      },
      {
        title: "extensions that go on and on, once",
        events: [
          ...[grant(0, "A"), robbed(5, 0), robbed(6, 1)],
          ...[...extended(10, 20), ...extended(30, 40, 3)],
        ],
      },
    ],
  );
});
