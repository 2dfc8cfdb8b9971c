import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { end, grant, send, validity, vote, wonRound } from "../../support/check/events.js";

const A = "900~x9_Kq2-and-more";

const news = (atUs: number, beginning = "x9_Kq2", process = A): HistoryEvent => {
  return { kind: "news", atUs, node: 0, process, beginning };
};
const asks = (atUs: number, round: number): HistoryEvent =>
  send(atUs, A, 0, { op: "extend", round });
const extended = (sentUs: number, votedUs: number, round = 2): HistoryEvent[] => [
  ...wonRound(A, sentUs, votedUs, [0, 1], { op: "extend", round }),
  validity(votedUs, A),
];
const answered = (atUs: number, round: number): HistoryEvent[] => [
  ...[0, 1].map((node) => vote(atUs, A, node, { op: "extend", round })),
  validity(atUs, A),
];
/** Renewed once. */
const RENEWED = [grant(0, A, { isRenewed: true }), ...extended(10, 20)];
/** Something happens later. */
const LATER = grant(1_000, "B");

describe("oracle H4, news of a loss", () => {
  judgeCases(
    "H4",
    [
      { title: "a holder that asks at once", events: [...RENEWED, news(30), asks(30, 3), LATER] },
      {
        title: "one that is not renewed",
        events: [grant(0, A, { isRenewed: false }), ...extended(10, 20), news(30), LATER],
      },
      {
        title: "one that was not renewed yet",
        events: [grant(0, A, { isRenewed: true }), news(30), LATER],
      },
      { title: "one that has ended", events: [...RENEWED, end(25, A), news(30), LATER] },
      { title: "one that ends then", events: [...RENEWED, news(30), end(30, A), LATER] },
      { title: "news of another lock", events: [...RENEWED, news(30, "x9_Kq3"), LATER] },
      { title: "news to another process", events: [...RENEWED, news(30, "x9_Kq2", "B"), LATER] },
      {
        title: "one that is asking, and asks again",
        events: [
          ...[...RENEWED, asks(30, 3), news(35), ...answered(40, 3)],
          ...[asks(40, 4), LATER],
        ],
      },
      {
        title: "one that was told too often",
        events: [
          ...RENEWED,
          ...Array.from({ length: 15 }, () => [news(30), ...extended(30, 30, 3)]).flat(),
          ...[news(31), LATER],
        ],
      },
    ],
    [
      { title: "a holder that does not ask", events: [...RENEWED, news(30), LATER] },
      { title: "one that asks later", events: [...RENEWED, news(30), asks(31, 3), LATER] },
      {
        title: "one that was asking, and does not ask again",
        events: [...[...RENEWED, asks(30, 3), news(35), ...answered(40, 3), LATER]],
      },
    ],
  );
});
