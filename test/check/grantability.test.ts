import { checkGrantability } from "../../src/check/grantability.js";
import type { HistoryEvent } from "../../src/check/history.js";
import { judgeCases } from "../support/check/cases.js";
import { eligible, end, grant, key } from "../support/check/events.js";

const ready = [0, 1, 2].map((node) => eligible(0, node));
const held: HistoryEvent[] = [
  ...ready,
  key(1, 0, undefined, "A"),
  key(1, 1, undefined, "A"),
  grant(2, "A"),
];
const forget = { op: "forget", by: undefined } as const;

describe("oracle S2, grantability", () => {
  judgeCases(
    checkGrantability,
    "S2",
    [
      { title: "a quorum of keys", events: held },
      {
        title: "a key that dies in the microsecond in which the belief ends",
        events: [...held, key(9, 0, "A", undefined), end(9, "A", "expired")],
      },
      {
        title: "a node that forgot and does not vote",
        events: [...held, eligible(5, 0, false), key(5, 0, "A", undefined, forget)],
      },
      {
        title: "another's keys that came back on nodes which do not vote",
        events: [
          ...held,
          ...[0, 1].flatMap((node) => [eligible(5, node, false), key(5, node, "A", "B", forget)]),
        ],
      },
      {
        title: "own keys that came back on nodes which vote",
        events: [...held, key(5, 0, "A", "A", forget), key(5, 1, "A", "A", forget)],
      },
      {
        title: "another's key on a minority",
        events: [...held, key(5, 2, undefined, "B")],
      },
    ],
    [
      {
        title: "a key that dies one microsecond before the belief ends",
        events: [...held, key(8, 0, "A", undefined), end(9, "A", "expired")],
      },
      {
        title: "another's keys that came back on nodes which vote",
        events: [...held, key(5, 0, "A", "B", forget), key(5, 1, "A", "B", forget)],
      },
      {
        title: "a key that came back and was then given to another",
        events: [
          ...[...held, key(5, 0, "A", undefined, forget), key(5, 1, "A", "B", forget)],
          ...[eligible(5, 0, false), eligible(5, 1, false)],
          ...[key(6, 0, undefined, "C"), key(6, 1, "B", "C")],
        ],
      },
      {
        title: "a grant by a minority",
        events: [...ready, key(1, 0, undefined, "A"), grant(2, "A")],
      },
      {
        title: "a quarantine that ends within the belief",
        events: [
          ...held,
          eligible(5, 0, false),
          key(5, 0, "A", undefined, forget),
          eligible(6, 0),
          end(9, "A"),
        ],
      },
      {
        title: "a node that does not vote any more, but had given its vote to another",
        events: [
          ...ready,
          key(1, 0, undefined, "A"),
          key(1, 1, undefined, "B"),
          eligible(1, 1, false),
          grant(2, "A"),
        ],
      },
    ],
  );
});
