import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { grant, validity, wonRound } from "../../support/check/events.js";

const force = (atUs: number, isQuorate = true, ownerIds = ["A"]): HistoryEvent => {
  return { kind: "force", atUs, process: "P", name: "a", ownerIds, isQuorate };
};
const extended = (sentUs: number, votedUs: number, round = 2): HistoryEvent[] => [
  ...wonRound("A", sentUs, votedUs, [0, 1], { op: "extend", round }),
  validity(votedUs, "A"),
];

describe("oracle H2, ended by force", () => {
  judgeCases(
    "H2",
    [
      { title: "a lock that is not extended any more", events: [grant(0, "A"), force(10)] },
      {
        title: "an extension that was under way",
        events: [
          grant(0, "A"),
          ...wonRound("A", 5, 20, [0, 1], { op: "extend" }),
          force(10),
          validity(20, "A"),
        ].toSorted((a, b) => a.atUs - b.atUs),
      },
      { title: "one before", events: [grant(0, "A"), ...extended(2, 5), force(10)] },
      {
        title: "another's extension",
        events: [grant(0, "A"), force(10, true, ["B"]), ...extended(20, 30)],
      },
      {
        title: "an extension where too few nodes had let go",
        events: [grant(0, "A"), force(10, false), ...extended(20, 30)],
      },
    ],
    [
      {
        title: "an extension that began after it",
        events: [grant(0, "A"), force(10), ...extended(20, 30)],
      },
      {
        title: "extensions that go on and on, once",
        events: [grant(0, "A"), force(10), ...extended(20, 30), ...extended(40, 50, 3)],
      },
    ],
  );
});
