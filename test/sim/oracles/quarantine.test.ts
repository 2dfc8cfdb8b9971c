import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, wonRound } from "../../support/check/events.js";

const forgot = (node: number, atUs = 100): HistoryEvent => {
  return { kind: "node", atUs, node, what: "forget" };
};
const held = [...wonRound("A", 0, 5, [0, 1]), grant(5, "A")];

describe("oracle Q1, quarantine", () => {
  judgeCases(
    "Q1",
    [
      {
        title: "a node that belief does not rest on",
        events: [...held, forgot(2), key(200, 2, undefined, "B")],
      },
      {
        title: "a belief that is over",
        events: [...held, forgot(0), end(150, "A"), key(200, 0, undefined, "B")],
      },
      {
        title: "a belief that was proven anew by other nodes",
        events: [
          ...held,
          forgot(0),
          ...wonRound("A", 110, 120, [1, 2], { op: "extend", round: 2 }),
          key(200, 0, undefined, "B"),
        ],
      },
      { title: "a key of its own", events: [...held, forgot(0), key(200, 0, undefined, "A")] },
    ],
    [
      {
        title: "a grant by a node that forgot",
        events: [...held, forgot(0), key(200, 0, undefined, "B")],
      },
      {
        title: "one whose votes the last proof rests on",
        events: [
          ...held,
          ...wonRound("A", 50, 60, [0, 1], { op: "extend", round: 2 }),
          forgot(0),
          key(200, 0, undefined, "B"),
        ],
      },
    ],
  );
});
