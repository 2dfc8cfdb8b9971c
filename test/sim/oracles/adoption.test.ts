import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, send } from "../../support/check/events.js";

/** A lock of A's on all nodes, and given away. */
const given: readonly HistoryEvent[] = [
  ...[0, 1, 2].map((node) => key(0, node, undefined, "A")),
  grant(1, "A"),
  end(10, "A", "given"),
];
const asks = (who: string): HistoryEvent[] => {
  return [0, 1, 2].map((node) => send(20, who, node, { previous: "A" }));
};
const takes = (who: string, ...nodes: number[]): HistoryEvent[] => {
  return nodes.map((node) => key(30, node, "A", who));
};

describe("oracle H1, adoption", () => {
  judgeCases(
    "H1",
    [
      {
        title: "an adoption by a quorum of nodes",
        events: [...given, ...asks("B"), ...takes("B", 0, 1), grant(40, "B")],
      },
      {
        title: "one who is granted it later, by itself",
        events: [...given, send(20, "B", 0), grant(40, "B")],
      },
      {
        title: "two who try, of whom one has it",
        events: [
          ...[...given, ...asks("B"), ...asks("C")],
          ...[...takes("C", 2), ...takes("B", 0, 1), grant(40, "B")],
        ],
      },
      {
        title: "a hand-over within a process, of a key that was free",
        events: [
          ...[grant(1, "A"), end(10, "A"), send(20, "B", 0, { previous: "A" })],
          ...[key(30, 0, undefined, "B"), grant(40, "B")],
        ],
      },
      {
        title: "another name that was granted meanwhile",
        events: [
          ...[...given, grant(15, "X", { name: "b" })],
          ...[...asks("B"), ...takes("B", 0, 1), grant(40, "B")],
        ],
      },
    ],
    [
      {
        title: "an adoption of keys that were free",
        events: [
          ...[...given, ...asks("B"), ...takes("B", 0)],
          ...[key(30, 1, undefined, "B"), key(30, 2, undefined, "B"), grant(40, "B")],
        ],
      },
      {
        title: "a second adopter",
        events: [
          ...[...given, ...asks("B"), ...takes("B", 0, 1), grant(40, "B")],
          ...[...asks("C"), ...takes("C", 1, 2), grant(50, "C")],
        ],
      },
      {
        title: "somebody who came between",
        events: [
          ...[...given, grant(15, "X")],
          ...[...asks("B"), ...takes("B", 0, 1), grant(40, "B")],
        ],
      },
    ],
  );
});
