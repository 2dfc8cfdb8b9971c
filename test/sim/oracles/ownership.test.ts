import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, send } from "../../support/check/events.js";

const release = { op: "release", by: "A" } as const;

/** A lock, given up or not, and how the next one asks to take it over. */
const handOver = (isGivenUp: boolean, process = "A") => [
  send(0, "A", 0),
  key(0, 0, undefined, "A"),
  grant(0, "A"),
  ...(isGivenUp ? [end(1, "A")] : []),
  send(1, "B", 0, { process, previous: "A" }),
];

/** An acquire of one name, and one of a set of its process of which that is a part. */
const ofSet = (process = "A") => [
  send(0, "A", 0),
  key(0, 0, undefined, "A"),
  send(1, "B", 0, { process, parts: ["A"] }),
];

/** A waiter has left its acquire on the nodes, and the holder's release executes it on one. */
const executed = (owner: string) => [
  send(0, "B", 0, { deferred: "B" }),
  key(1, 0, "A", undefined, release),
  key(1, 0, undefined, owner, release),
];

const reader = { mode: "shared" } as const;

describe("oracle S4, ownership", () => {
  judgeCases(
    "S4",
    [
      { title: "a free key that is taken", events: [key(0, 0, undefined, "A")] },
      { title: "an own key that is re-timed", events: [key(0, 0, "A", "A", { op: "extend" })] },
      { title: "an own key that is released", events: [key(0, 0, "A", undefined, release)] },
      { title: "a key that a release takes for a waiter", events: executed("B") },
      { title: "a free key that is healed", events: [key(0, 0, undefined, "A", { op: "heal" })] },
      {
        title: "a key that comes back with an older state of the node",
        events: [key(0, 0, "B", "A", { op: "forget", by: undefined })],
      },
      { title: "a key of a part, which a set replaces", events: [...ofSet(), key(2, 0, "A", "B")] },
      {
        title: "a key of a part that ends with a set that a node cannot store",
        events: [...ofSet(), key(2, 0, "A", undefined, { op: "acquire", by: "B" })],
      },
      {
        title: "a key that its owner hands over",
        events: [...handOver(true), key(2, 0, "A", "B")],
      },
      {
        title: "a key that its owner gave away, taken over by another process",
        events: [
          ...[grant(0, "A"), end(1, "A", "given"), send(2, "B", 0, { previous: "A" })],
          key(3, 0, "A", "B"),
        ],
      },
      { title: "anybody's key that expires", events: [key(0, 0, "B", undefined)] },
      {
        title: "another's key, and a reader's entry, that somebody steals",
        events: [
          ...[
            key(0, 0, undefined, "A"),
            send(1, "B", 0, { isPreempting: true }),
            key(2, 0, "A", "B"),
          ],
          ...[
            key(3, 1, undefined, "C", reader),
            key(4, 1, "C", undefined, { ...reader, op: "acquire", by: "B" }),
          ],
        ],
      },
      {
        title: "readers that come, are re-timed and leave, each for itself",
        events: [
          ...[key(0, 0, undefined, "A", reader), key(1, 0, undefined, "B", reader)],
          key(2, 0, "B", "B", { ...reader, op: "extend", by: "B" }),
          ...[
            key(3, 0, "A", undefined, { ...reader, ...release }),
            key(9, 0, "B", undefined, reader),
          ],
        ],
      },
    ],
    [
      {
        title: "a reader that another reader's release takes out",
        events: [key(0, 0, "B", undefined, { ...reader, ...release })],
      },
      {
        title: "a reader that another's extend re-times",
        events: [key(0, 0, "B", "B", { ...reader, op: "extend", by: "A" })],
      },
      {
        title: "another's key that a preemptor's release deletes",
        events: [
          send(1, "B", 0, { isPreempting: true }),
          key(2, 0, "A", undefined, { op: "release", by: "B" }),
        ],
      },
      { title: "a key that a release takes for one who left no acquire", events: executed("C") },
      {
        title: "another's key that a release takes for a waiter",
        events: [send(0, "B", 0, { deferred: "B" }), key(1, 0, "C", "B", release)],
      },
      {
        title: "a key that an extend takes for a waiter",
        events: [
          send(0, "B", 0, { deferred: "B" }),
          key(1, 0, undefined, "B", { op: "extend", by: "A" }),
        ],
      },
      { title: "another's key that is deleted", events: [key(0, 0, "B", undefined, release)] },
      {
        title: "a free key that is extended",
        events: [key(0, 0, undefined, "A", { op: "extend" })],
      },
      { title: "another's key that is taken over", events: [key(0, 0, "B", "A")] },
      {
        title: "a key that a set of another process replaces",
        events: [...ofSet("B"), key(2, 0, "A", "B")],
      },
      {
        title: "a key of one who holds it that a set replaces",
        events: [...ofSet(), grant(1, "A"), ...ofSet().slice(-1), key(2, 0, "A", "B")].toSpliced(
          2,
          1,
        ),
      },
      {
        title: "a hand-over by one who still believes",
        events: [...handOver(false), key(2, 0, "A", "B")],
      },
      {
        title: "a hand-over to another process",
        events: [...handOver(true, "B"), key(2, 0, "A", "B")],
      },
      {
        title: "a key that is taken over from one who did not give it away to that",
        events: [
          ...[grant(0, "A"), end(1, "A", "given"), send(2, "B", 0, { previous: "A" })],
          key(3, 0, "A", "C"),
        ],
      },
      {
        title: "a hand-over that takes a third one's key",
        events: [...handOver(true), key(2, 0, "C", "B")],
      },
      {
        title: "a hand-over that deletes",
        events: [...handOver(true), key(2, 0, "A", undefined, { op: "acquire", by: "B" })],
      },
      {
        title: "another's key that is re-timed",
        events: [key(0, 0, "B", "B", { op: "extend", by: "A" })],
      },
    ],
  );
});
