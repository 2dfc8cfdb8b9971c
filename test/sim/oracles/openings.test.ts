import type { HistoryEvent, PlaceEvent, TurnEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { key, nodeEvent, place, send } from "../../support/check/events.js";

const MS = 1_000;
const listens = (...processes: string[]): HistoryEvent[] =>
  processes.map((process) => ({ kind: "inbox", atUs: 0, node: 0, process, isListening: true }));
const stands = (
  atUs: number,
  process: string,
  ticket: number,
  wants: PlaceEvent["wants"] = "",
  count = 1,
): HistoryEvent => place(atUs, "stands", "acquire", { process, ticket, wants, count });
const leaves = (atUs: number, process: string, more: Partial<PlaceEvent> = {}): HistoryEvent =>
  place(atUs, "gone", "leave", { process, ...more });
const told = (
  atUs: number,
  process: string,
  more: Partial<Pick<TurnEvent, "wants" | "permits">> = {},
): HistoryEvent => {
  const base = { node: 0, name: "a", wants: "", permits: undefined } as const;
  return { kind: "turn", atUs, process, ...base, ...more, what: "told" };
};
const shared = { mode: "shared" } as const;
const release = { op: "release" } as const;
const all = listens("A", "B");

/** X holds it, A came before B. */
const held = [...all, key(1, 0, undefined, "X"), stands(10, "A", 1), stands(20, "B", 2)];
const freed = key(5 * MS, 0, "X", undefined, release);
/** X reads it. */
const read = [...all, key(1, 0, undefined, "X", shared)];
/** X has permit 0 of two. */
const permit = [
  ...[...all, send(1, "X", 0, { name: "a#0", permits: 2 })],
  key(1, 0, undefined, "X", { name: "a#0" }),
];

describe("oracle W5, who is told", () => {
  judgeCases(
    "W5",
    [
      {
        title: "a release for which nobody waits",
        events: [...all, key(1, 0, undefined, "X"), freed],
      },
      {
        title: "a release that tells the first",
        events: [...held, freed, told(5 * MS, "A"), place(5 * MS, "gone", "release")],
      },
      {
        title:
          "a release after one of the same instant that gave the second its earlier place back",
        events: [
          ...held,
          place(5 * MS, "stands", "release", { process: "B", ticket: 0 }),
          freed,
          told(5 * MS, "B"),
          place(5 * MS, "gone", "release", { process: "B" }),
        ],
      },
      { title: "an expiry", events: [...held, key(5 * MS, 0, "X", undefined)] },
      {
        title: "a release to those who do not listen",
        events: [...held.slice(2), freed],
      },
      {
        title: "a release to those who stopped to listen",
        events: [
          ...held,
          ...["A", "B"].map((process): HistoryEvent => ({
            ...{ kind: "inbox", atUs: 30, node: 0, process, isListening: false },
          })),
          freed,
        ],
      },
      {
        title: "a release to places that are over",
        events: [...held, key(5_100 * MS, 0, "X", undefined, release)],
      },
      {
        title: "a release on a node that fails",
        events: [...held, nodeEvent(30, 0, "errors"), freed],
      },
      {
        title:
          "one that comes into the queue in the same step, and is refused by whoever came first",
        events: [...all, key(1, 0, undefined, "X"), freed, stands(5 * MS, "A", 1)],
      },
      {
        title: "a release that queues its process anew, with an earlier ticket, and tells it",
        events: [
          ...[...all, key(1, 0, undefined, "X"), stands(10, "A", 2), stands(20, "B", 3)],
          ...[
            freed,
            told(5 * MS, "B"),
            place(5 * MS, "gone", "release", { process: "B", ticket: 1 }),
          ],
        ],
      },
      {
        title: "a release that queues its process for the time of the step, as the first",
        events: [
          ...[...held, freed, told(5 * MS, "C")],
          place(5 * MS, "passed", "release", { process: "C", ticket: 0 }),
        ],
      },
      {
        title: "a first reader with whom all come in up to the first writer",
        events: [
          ...[...all, ...listens("C"), stands(10, "A", 1, "r"), stands(20, "B", 2)],
          ...[stands(30, "C", 3, "r"), key(5 * MS, 0, undefined, "X", shared)],
          told(5 * MS, "A", { wants: "r" }),
        ],
      },
      {
        title: "a first reader beside one with the ticket of a writer, which is ahead of it",
        events: [
          ...[...all, stands(10, "A", 1, "r"), stands(20, "B", 1)],
          key(5 * MS, 0, undefined, "X", shared),
        ],
      },
      {
        title: "a second reader, which opens nothing",
        events: [...[...read, stands(10, "A", 1, "r")], key(5 * MS, 0, undefined, "Y", shared)],
      },
      {
        title: "a writer that comes later than the reader behind it now, who is told",
        events: [
          ...[...read, stands(10, "A", 1), stands(20, "B", 2, "r")],
          ...[stands(5 * MS, "A", 3), told(5 * MS, "B", { wants: "r" })],
        ],
      },
      {
        title: "a writer whose place moves, and is still ahead",
        events: [...[...read, stands(10, "A", 1), stands(20, "B", 4, "r")], stands(5 * MS, "A", 3)],
      },
      {
        title: "a permit that is told",
        events: [
          ...[...permit, key(2, 0, undefined, "Y", { name: "a#1" }), stands(10, "A", 1, "s")],
          key(5 * MS, 0, "X", undefined, { ...release, name: "a#0" }),
          ...[told(5 * MS, "A", { wants: "s", permits: [0] }), leaves(5 * MS, "A", { wants: "s" })],
        ],
      },
      {
        title: "a release past one that wants more permits than there are since a resize",
        events: [
          ...[...permit, stands(10, "A", 1, "s", 2), stands(20, "B", 2, "s")],
          { kind: "size", atUs: 4 * MS, node: 0, name: "a", count: 1, version: 1 },
          key(5 * MS, 0, "X", undefined, { ...release, name: "a#0" }),
          ...[told(5 * MS, "B", { wants: "s", permits: [0] }), leaves(5 * MS, "B", { wants: "s" })],
        ],
      },
      {
        title: "a first for several permits, whose process has a later place for one as well",
        events: [
          ...[...permit, ...[stands(10, "A", 3, "s"), stands(20, "A", 1, "s", 2)]],
          ...[stands(30, "B", 2, "s"), key(5 * MS, 0, "X", undefined, { ...release, name: "a#0" })],
          told(5 * MS, "A", { wants: "s", permits: [0, 1] }),
          leaves(5 * MS, "A", { wants: "s", count: 2 }),
        ],
      },
      {
        title: "a semaphore that grows, and who is told queues anew in the same step",
        events: [
          ...[...permit, key(2, 0, undefined, "Y", { name: "a#1" }), stands(10, "A", 1, "s")],
          { kind: "size", atUs: 5 * MS, node: 0, name: "a", count: 4, version: 1 },
          ...[told(5 * MS, "A", { wants: "s", permits: [2] }), stands(5 * MS, "A", 1, "s")],
        ],
      },
      {
        title: "the last permit beside one that is reserved",
        events: [
          ...[...permit, key(2, 0, undefined, "Y", { name: "a#1" }), stands(10, "A", 1, "s")],
          key(5 * MS, 0, "X", undefined, { ...release, name: "a#0" }),
          ...[told(5 * MS, "A", { wants: "s", permits: [0] }), leaves(5 * MS, "A", { wants: "s" })],
          ...[stands(6 * MS, "B", 2), key(9 * MS, 0, "Y", undefined, { ...release, name: "a#1" })],
        ],
      },
    ],
    [
      { title: "a release that tells nobody", events: [...held, freed] },
      {
        title: "a release that tells the second",
        events: [...held, freed, told(5 * MS, "B")],
      },
      {
        title: "a release that queues its process anew, behind another, and tells it",
        events: [
          ...[...all, key(1, 0, undefined, "X"), stands(10, "A", 2), stands(20, "B", 1), freed],
          ...[told(5 * MS, "B"), place(5 * MS, "gone", "release", { process: "B", ticket: 3 })],
        ],
      },
      {
        title:
          "a release that queues its process for the time of the step, and passes the first over",
        events: [
          ...[...held, freed, told(5 * MS, "C")],
          place(5 * MS, "passed", "release", { process: "C", ticket: 3 }),
        ],
      },
      {
        title: "a first reader that does not tell the next",
        events: [...[...all, stands(10, "A", 1, "r"), key(5 * MS, 0, undefined, "X", shared)]],
      },
      {
        title: "a first reader that does not tell the next, which has the ticket of one behind it",
        events: [
          ...[...all, stands(10, "B", 1, "s"), stands(20, "A", 1, "r")],
          key(5 * MS, 0, undefined, "X", shared),
        ],
      },
      {
        title: "a writer that leaves, and does not tell the reader behind it",
        events: [...[...read, stands(10, "A", 1), stands(20, "B", 2, "r")], leaves(5 * MS, "A")],
      },
      {
        title: "a writer that comes later than the reader behind it now, who is not told",
        events: [...[...read, stands(10, "A", 1), stands(20, "B", 2, "r")], stands(5 * MS, "A", 3)],
      },
      {
        title: "a release past one that wants no more permits than there are",
        events: [
          ...[...permit, stands(10, "A", 1, "s", 2), stands(20, "B", 2, "s")],
          key(5 * MS, 0, "X", undefined, { ...release, name: "a#0" }),
          ...[told(5 * MS, "B", { wants: "s", permits: [0] }), leaves(5 * MS, "B", { wants: "s" })],
        ],
      },
      {
        title: "a semaphore that grows, and tells the first of fewer permits than it wants",
        events: [
          ...[...permit, key(2, 0, undefined, "Y", { name: "a#1" }), stands(10, "A", 1, "s", 2)],
          { kind: "size", atUs: 5 * MS, node: 0, name: "a", count: 4, version: 1 },
          told(5 * MS, "A", { wants: "s", permits: [2] }),
        ],
      },
      {
        title: "a permit that is released, and not told",
        events: [
          ...[...permit, key(2, 0, undefined, "Y", { name: "a#1" }), stands(10, "A", 1, "s")],
          key(5 * MS, 0, "X", undefined, { ...release, name: "a#0" }),
        ],
      },
      {
        title: "one that leaves, and does not tell who waits for a permit behind it",
        events: [...[...permit, stands(10, "A", 1), stands(20, "B", 2, "s")], leaves(5 * MS, "A")],
      },
      {
        title: "a first permit, and nobody is told of the other",
        events: [
          ...[...all, send(1, "X", 0, { name: "a#0", permits: 2 }), stands(10, "A", 1, "s")],
          key(5 * MS, 0, undefined, "X", { name: "a#0" }),
        ],
      },
    ],
  );
});
