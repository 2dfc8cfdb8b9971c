import type { HistoryEvent, PlaceEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, end, grant, key, nodeEvent, place, send, vote } from "../../support/check/events.js";

const MS = 1_000;
const S = 1_000 * MS;
const NODES = [0, 1, 2];

/** On each node: it votes, and A listens. */
const up: HistoryEvent[] = NODES.flatMap((node): HistoryEvent[] => [
  { kind: "eligible", atUs: 0, node, isEligible: true },
  { kind: "inbox", atUs: 0, node, process: "A", isListening: true },
]);
const onAll = (make: (node: number) => HistoryEvent): HistoryEvent[] => NODES.map(make);
const stands = (wants: PlaceEvent["wants"] = ""): HistoryEvent[] =>
  onAll((node) => place(3 * S + 10, "stands", "acquire", { node, ticket: 2, wants }));
/** X has the name, and A waits for it. */
const waits = [
  ...up,
  ...onAll((node) => key(3 * S, node, undefined, "X")),
  call(3 * S, 1, "acquire"),
];
const released = (node: number): HistoryEvent =>
  key(4 * S, node, "X", undefined, { op: "release" });
/** The lock of A was ended, of which it learns; then its releases find no key, and leave a place for its next call. */
const leftByRelease = (): HistoryEvent[] => [
  ...[...up, ...onAll((node) => key(3 * S, node, undefined, "X"))],
  ...[grant(3 * S + 5, "X", { process: "A" }), call(3 * S + 6, 1, "acquire")],
  ...onAll((node) => send(4 * S, "X", node, { process: "B", op: "revoke" })),
  ...[...onAll(released), { ...end(4 * S + 10 * MS, "X", "lost"), process: "A" }],
  ...onAll((node) => place(4 * S + 20 * MS, "stands", "release", { node, ticket: 2 })),
];
/** A waits, and two nodes take it out of their queues. */
const toldByTwo = (): HistoryEvent[] => [
  ...[...waits, ...stands(), released(0), released(1)],
  ...[0, 1].map((node) => place(4 * S, "gone", "release", { node, ticket: 2 })),
];
/** How long the slowest message took. */
const slow = (tookMs: number): HistoryEvent[] =>
  (["told", "heard"] as const).map((what, at) => ({
    ...{ kind: "turn", node: 0, name: "b", process: "B", wants: "", permits: undefined, what },
    atUs: S + at * tookMs * MS,
  }));
/** An operator ends the lock of a process, which then knows no more of it. */
const forced = (process: string): HistoryEvent[] => [
  ...[...up, ...onAll((node) => key(3 * S, node, undefined, "X"))],
  ...[grant(3 * S + 5, "X", { process }), call(3 * S + 6, 1, "acquire"), ...stands()],
  ...onAll((node) => send(4 * S, "X", node, { process: "B", op: "revoke" })),
  ...onAll(released),
];
const asks = (atUs: number, mode?: "shared", owner = "y"): HistoryEvent[] => [
  ...onAll((node) => send(atUs, owner, node, { process: "A", mode })),
  ...onAll((node) => vote(atUs + 10, owner, node, { process: "A" })),
  grant(atUs + 20, owner, { process: "A", mode }),
];
/** Two readers of A stand in one place, which the first to be granted takes: does that take it out of the queues? */
const twoReaders = (isOut: boolean): HistoryEvent[] => [
  ...[...waits, call(3 * S, 2, "acquire"), ...stands("r"), ...onAll(released)],
  ...onAll((node) => send(4 * S, "x", node, { process: "A", mode: "shared" })),
  ...onAll((node) => key(4 * S + 5, node, undefined, "x", { mode: "shared", op: "acquire" })),
  ...(isOut ? onAll((node) => place(4 * S + 5, "gone", "acquire", { node, wants: "r" })) : []),
  ...onAll((node) => vote(4 * S + 10, "x", node, { process: "A" })),
  grant(4 * S + 20, "x", { process: "A", mode: "shared" }),
  ...asks(4 * S + 300 * MS, "shared"),
];
/** Another waits where A may read, which asks late. */
const besideReader = (wants: PlaceEvent["wants"], ticket: number): HistoryEvent[] => [
  ...[...up, ...onAll((node) => key(3 * S, node, undefined, "X", { mode: "shared" }))],
  ...[call(3 * S, 1, "acquire"), ...stands("r")],
  ...onAll((node) => place(3 * S + 20, "stands", "acquire", { node, process: "B", wants, ticket })),
  ...asks(4 * S + 300 * MS, "shared"),
];

describe("oracle W7, who is woken", () => {
  judgeCases(
    "W7",
    [
      {
        title: "a waiter that asks at once",
        events: [...waits, ...stands(), ...onAll(released), ...asks(4 * S + 2 * MS)],
      },
      {
        title: "one for which a node is open since what it reserved for another has run out",
        events: [
          ...[
            ...waits,
            ...stands(),
            place(4 * S, "kept", "release", { process: "B" }),
            released(0),
          ],
          place(4 * S + 300 * MS, "stands", "refresh", { ticket: 2 }),
          key(5 * S, 1, "X", undefined, { op: "release" }),
          ...asks(5 * S + 300 * MS),
        ],
      },
      {
        title: "a second reader of its process, where the first has left the queue for both",
        events: twoReaders(true),
      },
      {
        title: "one that asks as late as a message may take",
        events: [
          ...[...slow(200), ...waits, ...stands(), ...onAll(released)],
          ...asks(4 * S + 200 * MS),
        ],
      },
      {
        title: "one whose name expired",
        events: [
          ...[...waits, ...stands(), ...onAll((node) => key(4 * S, node, "X", undefined))],
          ...asks(4 * S + 300 * MS),
        ],
      },
      {
        title: "one that stood behind another, which was told where nothing is reserved",
        events: [
          ...waits,
          ...onAll((node) =>
            place(3 * S + 5, "stands", "acquire", { node, process: "B", ticket: 1 }),
          ),
          ...stands(),
          ...onAll((node): HistoryEvent => {
            const told = { node, name: "a", process: "B", wants: "", permits: undefined } as const;
            return { kind: "turn", atUs: 4 * S, ...told, what: "told" };
          }),
          ...onAll(released),
          ...onAll((node) => place(4 * S, "gone", "release", { node, process: "B", ticket: 1 })),
          ...asks(4 * S + 90 * MS),
        ],
      },
      {
        title: "one that stands in no queue",
        events: [...waits, ...onAll(released), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "one that stands in the queues of too few nodes",
        events: [...waits, ...stands().slice(0, 1), ...onAll(released), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "one that has given back what one of two nodes had told it of",
        events: [
          ...[...toldByTwo(), send(4 * S + MS, "x", 0, { process: "A" })],
          key(4 * S + 2 * MS, 0, undefined, "x", { op: "acquire" }),
          key(4 * S + 3 * MS, 0, "x", undefined, { op: "release" }),
          ...asks(4 * S + 300 * MS),
        ],
      },
      {
        title: "one behind another",
        events: [
          ...[...waits, ...stands()],
          ...onAll((node) =>
            place(3 * S + 20, "stands", "acquire", { node, process: "B", ticket: 1 }),
          ),
          ...[...onAll(released), ...asks(4 * S + 300 * MS)],
        ],
      },
      {
        title: "one whose nodes failed a second ago",
        events: [
          ...[...waits, ...stands()],
          ...NODES.flatMap((node) => [
            nodeEvent(3 * S + 500 * MS, node, "freeze"),
            nodeEvent(3 * S + 600 * MS, node, "thaw"),
          ]),
          ...[...onAll(released), ...asks(4 * S + 300 * MS)],
        ],
      },
      {
        title: "one that was refused just now",
        events: [
          ...[...waits, ...stands(), ...onAll(released)],
          ...onAll((node) => send(4 * S + MS, "x", node, { process: "A" })),
          ...onAll((node) => vote(4 * S + 290 * MS, "x", node, { process: "A", vote: "refused" })),
          ...asks(4 * S + 300 * MS),
        ],
      },
      {
        title: "a reader whom a writer keeps out",
        events: besideReader("", 1),
      },
      {
        title: "one whose process had the lock that an operator ended",
        events: [...forced("A"), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "one whose process has found out that an operator ended its lock",
        events: [
          ...[...forced("A"), { ...end(4 * S + 290 * MS, "X", "lost"), process: "A" }],
          ...asks(4 * S + 300 * MS),
        ],
      },
      {
        title: "one whose place was left by a release that found no key, where nothing is reserved",
        settings: { reservesNothing: true },
        events: [...leftByRelease(), ...asks(4 * S + 300 * MS)],
      },
      { title: "a reader whom a writer with its ticket keeps out", events: besideReader("", 2) },
    ],
    [
      {
        title: "one beside which a set waits",
        events: [
          ...[...waits, call(3 * S, 2, "acquire", { name: "a, b" }), ...stands()],
          ...[...onAll(released), ...asks(4 * S + 300 * MS)],
        ],
      },
      {
        title: "a second reader of its process, where they stand in the queue as before",
        events: twoReaders(false),
      },
      {
        title: "a reader beside one that waits for a permit, behind it with its ticket",
        events: besideReader("s", 2),
      },
      {
        title: "one that asks long after an operator ended another's lock",
        events: [...forced("C"), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "one that asks long after its process found out that an operator ended its lock",
        events: [
          ...[...forced("A"), { ...end(4 * S + 10 * MS, "X", "lost"), process: "A" }],
          ...asks(4 * S + 300 * MS),
        ],
      },
      {
        title: "one whose place was left by a release that found no key",
        events: [...leftByRelease(), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "a waiter that asks long after the release, where nothing is reserved",
        settings: { reservesNothing: true },
        events: [...waits, ...stands(), ...onAll(released), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "one that was told by two nodes",
        events: [...toldByTwo(), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "a waiter that asks long after the release",
        events: [...waits, ...stands(), ...onAll(released), ...asks(4 * S + 300 * MS)],
      },
      {
        title: "one that asks later than a message may take",
        events: [
          ...[...slow(200), ...waits, ...stands(), ...onAll(released)],
          ...asks(4 * S + 216 * MS),
        ],
      },
      {
        title: "a reader that asks long after another got in",
        events: [
          ...[...waits, ...stands("r")],
          ...onAll((node) => key(4 * S, node, "X", "Y", { mode: undefined, op: "release" })),
          ...onAll((node) => key(5 * S, node, "Y", undefined, { op: "release" })),
          ...onAll((node) => key(5 * S, node, undefined, "Z", { mode: "shared" })),
          ...asks(5 * S + 300 * MS, "shared"),
        ],
      },
    ],
  );
});
