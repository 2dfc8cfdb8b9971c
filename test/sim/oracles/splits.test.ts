import type { HistoryEvent, KeyEvent, PlaceEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, end, grant, key, send, settle, vote } from "../../support/check/events.js";

/** An owner gets a key on a node, or loses it. */
const has = (atUs: number, node: number, ownerId: string, more: Partial<KeyEvent> = {}) =>
  key(atUs, node, undefined, ownerId, { by: ownerId, op: "acquire", ...more });
const leaves = (atUs: number, node: number, ownerId: string) =>
  key(atUs, node, ownerId, undefined, { by: ownerId, op: "release" });
const kept = (atUs: number, node: number): PlaceEvent => ({
  ...{ kind: "place", atUs, node, name: "a", process: "W", wants: "" },
  ...{ what: "kept", by: "B", op: "release", sentUs: atUs },
});
/** The call of A, which settles at 100 µs. */
const calls = (events: readonly HistoryEvent[], result: string, more = {}): HistoryEvent[] => {
  const all = [call(10, 1, "acquire", more), ...events, settle(100, 1, result)];
  return all.toSorted((a, b) => a.atUs - b.atUs);
};

describe("oracle L6, splits", () => {
  judgeCases(
    "L6",
    [
      {
        title: "a name that one other has on a quorum",
        events: calls([has(1, 0, "B"), has(2, 1, "B")], "refused"),
      },
      {
        title: "one that another got meanwhile, on one node after the other",
        events: calls([has(20, 0, "B"), leaves(30, 0, "B"), has(40, 1, "B")], "refused"),
      },
      {
        title: "one that readers have",
        events: calls(
          [has(1, 0, "B", { mode: "shared" }), has(2, 1, "C", { mode: "shared" })],
          "refused",
        ),
      },
      {
        title: "one that code that is not ours has, several times over",
        events: calls(
          [
            ...[has(1, 0, "F", { op: "foreign" }), has(1, 0, "G", { op: "foreign" })],
            ...[
              { ...leaves(2, 0, "F"), op: "foreign" } as const,
              has(3, 1, "H", { op: "foreign" }),
            ],
          ],
          "refused",
        ),
      },
      { title: "one that was reserved", events: calls([kept(20, 0), kept(30, 1)], "refused") },
      {
        title: "one that somebody was granted, whatever the nodes have",
        events: calls([grant(50, "B")], "refused"),
      },
      {
        title: "a split, and somebody who held it before",
        events: [grant(5, "B"), ...calls([], "split")],
      },
      { title: "a call that came behind others", events: calls([], "refused", { isFair: true }) },
      { title: "a call by redlock's interface", events: calls([], "refused", { via: "redlock" }) },
      {
        title: "a split where messages were lost",
        events: calls([send(11, "A", 0), vote(12, "A", 0, { vote: "fault" })], "split"),
      },
      {
        title: "a split of nodes that are far away",
        events: calls([send(11, "A", 0), vote(90, "A", 0)], "split", { withinMs: 1 }),
      },
      {
        title: "a split of very many",
        events: [
          ...Array.from({ length: 8 }, (_, n) => call(1, 10 + n, "acquire", { process: `P${n}` })),
          ...calls([], "split"),
        ],
      },
      {
        title: "a split whose waiter has waited for less time than contenders have",
        events: calls([], "split", { waitMs: 1 }),
      },
      {
        title: "a hold that began in time",
        events: calls([grant(20, "B"), end(30, "B")], "split"),
      },
    ],
    [
      { title: "a name that is held by nobody", events: calls([], "refused") },
      {
        title: "a node each of two others",
        events: calls([has(1, 0, "B"), has(2, 1, "C")], "refused"),
      },
      {
        title: "a quorum that was left before",
        events: calls([has(1, 0, "B"), has(2, 1, "B"), leaves(3, 1, "B")], "refused"),
      },
      { title: "a reservation on a minority", events: calls([kept(20, 0)], "refused") },
      { title: "one of several that got nothing", events: calls([], "split") },
      {
        title: "one of several that waited for all of its time, and got nothing",
        events: [call(10, 1, "acquire", { waitMs: 60, withinMs: 100 }), settle(61_000, 1, "split")],
      },
      {
        title: "a hold that had ended",
        events: [grant(1, "B"), end(5, "B"), ...calls([], "split")],
      },
    ],
  );
});
