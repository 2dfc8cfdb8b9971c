import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { nodeEvent, processEvent, vote } from "../../support/check/events.js";

const starts = (atUs: number, process: string, ...nodes: number[]): HistoryEvent => {
  return { ...processEvent(atUs, process, "start"), nodes };
};
const listed = (atUs: number, node: number, nodes?: readonly number[], count = 0): HistoryEvent => {
  return { kind: "listed", atUs, node, nodes, count };
};
const warned = (atUs: number, process: string): HistoryEvent => ({ kind: "warned", atUs, process });
const votes = (atUs: number, node: number): HistoryEvent => vote(atUs, "b", node, { process: "B" });

const loses = (atUs: number, node: number): HistoryEvent => nodeEvent(atUs, node, "forget");

const THREE = [0, 1, 2];
const S = 1_000_000;

describe("oracle I3, warnings", () => {
  judgeCases(
    "I3",
    [
      {
        title: "one that uses more nodes is warned before one of them votes",
        events: [
          ...[starts(1, "A", 0, 1, 2), listed(2, 0, THREE), starts(10, "B", 0, 1, 2, 3)],
          ...[warned(11, "B"), votes(12, 0)],
        ],
      },
      {
        title: "one that uses the same nodes in another order is not",
        events: [
          ...[starts(1, "A", 0, 1, 2), listed(2, 0, THREE), starts(10, "B", 2, 0, 1)],
          votes(12, 0),
        ],
      },
      {
        title: "a vote of a node without a list",
        events: [starts(10, "B", 0, 1, 2, 3), votes(12, 3)],
      },
      {
        title: "a list that came later is shown by the next handshake",
        events: [starts(10, "B", 0, 1, 2, 3), listed(11, 0, THREE), votes(12, 0)],
      },
      {
        title: "the number of nodes on record, before there is a list",
        events: [listed(1, 0, undefined, 3), starts(10, "B", 0, 1, 2, 3), warned(11, "B")],
      },
      {
        title: "an id that a node had before it lost its data twice",
        events: [
          ...[starts(1, "A", 0, 1, 2), loses(5, 0), starts(10, "B", 2, 0, 1), loses(20, 0)],
          warned(21, "B"),
        ],
      },
      {
        title: "an id that a node had before it lost its data, while one began that had not met it",
        events: [
          ...[starts(1, "A", 0, 1, 2), listed(2, 0, THREE), starts(5 * S, "B", 0, 1, 2)],
          ...[loses(5 * S + 10, 0), warned(5 * S + 20, "A")],
        ],
      },
      {
        title:
          "an id that a node had before it lost its data, and the lists with that id were deleted",
        events: [
          ...[starts(1, "A", 0, 1, 2), listed(2, 0, THREE), listed(2, 1, THREE), loses(5, 0)],
          ...[listed(5, 0), listed(6, 1), starts(10, "B", 2, 0, 1), warned(21, "B")],
        ],
      },
    ],
    [
      {
        title: "a warning of a node that lost its data, and its list with that",
        events: [
          ...[starts(1, "A", 0, 1, 2), listed(2, 0, THREE), listed(2, 1, THREE), loses(5 * S, 0)],
          ...[listed(5 * S, 0), starts(10 * S, "B", 2, 0, 1), warned(21 * S, "B")],
        ],
      },
      {
        title: "a warning of a node that lost its data once while anybody used it",
        events: [
          ...[starts(1, "A", 1, 2, 3), loses(5 * S, 0), starts(10 * S, "B", 2, 0, 1)],
          ...[loses(20 * S, 0), warned(21 * S, "B")],
        ],
      },
      {
        title: "nobody says that there are fewer",
        events: [
          ...[starts(1, "A", 0, 1, 2), listed(2, 0, THREE), starts(10, "B", 0, 1, 2, 3)],
          votes(12, 0),
        ],
      },
      {
        title: "nobody says that there were fewer when the record was written",
        events: [listed(1, 0, undefined, 3), starts(10, "B", 0, 1, 2, 3), votes(12, 0)],
      },
      {
        title: "a warning without a reason",
        events: [starts(1, "A", 0, 1, 2), listed(2, 0, THREE), warned(3, "A")],
      },
      {
        title: "a warning of a list that was deleted before",
        events: [
          ...[starts(1, "A", 0, 1, 2), listed(2, 0, THREE), listed(5, 0)],
          ...[starts(10, "B", 0, 1, 2, 3), warned(11, "B")],
        ],
      },
    ],
  );
});
