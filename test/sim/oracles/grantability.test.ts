import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { eligible, end, grant, key, send } from "../../support/check/events.js";

const ready = [0, 1, 2].map((node) => eligible(0, node));
const held: HistoryEvent[] = [
  ...ready,
  key(1, 0, undefined, "A"),
  key(1, 1, undefined, "A"),
  grant(2, "A"),
];
const asReader = { mode: "shared" } as const;
/** B reads on two nodes, A on all. */
const read: HistoryEvent[] = [
  ...ready,
  ...[0, 1, 2].map((node) => key(1, node, undefined, "A", asReader)),
  grant(2, "A", asReader),
  ...[0, 1].map((node) => key(3, node, undefined, "B", asReader)),
  grant(4, "B", asReader),
];
const asJob = { owner: "job" } as const;
/** A and B are in for one owner, on two nodes each. */
const entered: HistoryEvent[] = [
  ...ready,
  ...[0, 1].map((node) => key(1, node, undefined, "A", asJob)),
  grant(2, "A", asJob),
  ...[1, 2].map((node) => key(3, node, undefined, "B", asJob)),
  grant(4, "B", asJob),
];
/** Somebody of the process steals from A, which then believes on. */
const preemption = (process: string): HistoryEvent[] => [
  ...[send(0, "A", 0), ...held, send(3, "B", 0, { isPreempting: true, process })],
  ...[key(4, 0, "A", "B"), key(4, 1, "A", "B")],
];
const out = { ...asReader, op: "release", by: "A" } as const;
const forget = { op: "forget", by: undefined } as const;

describe("oracle S2, grantability", () => {
  judgeCases(
    "S2",
    [
      { title: "a quorum of keys", events: held },
      { title: "one who is preempted by another process", events: preemption("B") },
      { title: "readers side by side", events: read },
      {
        title: "a reader that leaves, and one that stays",
        events: [
          ...read,
          end(5, "A"),
          ...[0, 1, 2].map((node) => key(6, node, "A", undefined, out)),
        ],
      },
      {
        title: "holds of one owner, of which one leaves",
        events: [...entered, end(5, "B"), ...[1, 2].map((n) => key(6, n, "B", undefined, asJob))],
      },
      {
        title: "a reader that is out on one node of three",
        events: [...read, end(5, "B"), key(6, 0, "A", undefined, asReader)],
      },
      {
        title: "a writer beside a reader that came back on nodes which do not vote",
        events: [
          ...held,
          ...[0, 1].map((node) => key(5, node, undefined, "Z", { ...asReader, ...forget })),
        ],
      },
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
        title: "one who is preempted by its own process, and believes on",
        events: preemption("A"),
      },
      {
        title: "a reader that others' release takes out",
        events: [...read, end(5, "A"), ...[0, 1].map((node) => key(6, node, "B", undefined, out))],
      },
      {
        title: "a hold that another's release takes out",
        events: [...entered, key(6, 0, "A", undefined, asJob), key(6, 1, "A", undefined, asJob)],
      },
      {
        title: "nodes that let another owner in",
        events: [
          ...[...entered, end(5, "B"), key(6, 1, "A", undefined, asJob)],
          ...[1, 2].map((node) => key(6, node, undefined, "C", { owner: "task" })),
        ],
      },
      {
        title: "a reader that is out on a quorum where others read on",
        events: [...read, ...[0, 1].map((node) => key(6, node, "B", undefined, asReader))],
      },
      {
        title: "nodes that let readers in beside a writer",
        events: [
          ...held,
          ...[0, 1].map((node) => key(5, node, "A", undefined, { op: "acquire", by: "B" })),
          ...[0, 1].map((node) => key(5, node, undefined, "B", asReader)),
        ],
      },
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
