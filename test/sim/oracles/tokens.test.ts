import { judgeCases } from "../../support/check/cases.js";
import { grant, passed, send } from "../../support/check/events.js";

const a = [send(0, "A", 0), grant(10, "A", { token: 5 })];
const left = (atUs: number) => send(atUs, "A", 0, { op: "release", round: 2, deferred: "B" });
const b = (sentUs: number, token: number, name = "a") => [
  send(sentUs, "B", 0, { round: 2, name }),
  grant(20, "B", { token, name }),
];

describe("oracle F1, fencing tokens", () => {
  judgeCases(
    "F1",
    [
      { title: "a larger one after a grant", events: [...a, ...b(11, 6)] },
      { title: "a smaller one that was asked for before the grant", events: [...b(9, 4), ...a] },
      {
        title: "a smaller one of an attempt that overlaps",
        events: [send(9, "B", 0, { round: 2 }), ...a, grant(20, "B", { token: 4 })],
      },
      {
        title: "a smaller one of an acquire that was left with the nodes before the grant",
        events: [left(9), ...a, grant(20, "B", { token: 4 })],
      },
      { title: "the same one for two names", events: [...a, ...b(11, 5, "b")] },
      {
        title: "the same one for holds of one owner",
        events: [
          grant(0, "A", { token: 5, owner: "job" }),
          grant(1, "B", { token: 5, owner: "job" }),
        ],
      },
      {
        title: "one after the other within a process, below the next one",
        events: [...a, passed(10, "A", 6), passed(10, "A", 7), ...b(11, 25)],
      },
      { title: "grants without tokens", events: [grant(1, "A"), grant(2, "B")] },
    ],
    [
      { title: "a smaller one after a grant", events: [...a, ...b(11, 4)] },
      {
        title: "a smaller one of an acquire that was left with the nodes after the grant",
        events: [...a, left(11), grant(20, "B", { token: 4 })],
      },
      {
        title: "a smaller one asked for in the microsecond of the grant",
        events: [...a, ...b(10, 4)],
      },
      {
        title: "one that repeats for two owners",
        events: [
          grant(0, "A", { token: 5, owner: "job" }),
          grant(1, "B", { token: 5, owner: "x" }),
        ],
      },
      {
        title: "a smaller one of the same owner",
        events: [
          grant(0, "A", { token: 5, owner: "job" }),
          ...[send(1, "B", 0), grant(2, "B", { token: 4, owner: "job" })],
        ],
      },
      { title: "one that repeats", events: [...a, ...b(11, 5)] },
      { title: "one that is passed on with the lock", events: [...a, passed(10, "A", 5)] },
      {
        title: "a smaller one than before within a process",
        events: [...a, passed(10, "A", 7), passed(10, "A", 6)],
      },
      { title: "one that was passed on before", events: [...a, passed(10, "A", 6), ...b(11, 6)] },
      {
        title: "one that repeats in attempts that overlap",
        events: [send(9, "B", 0, { round: 2 }), ...a, grant(20, "B", { token: 5 })],
      },
    ],
  );
});
