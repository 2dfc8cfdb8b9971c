import type { CallEvent, HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, lost, send, vote } from "../../support/check/events.js";

const MS = 1_000;
/** Since when nothing else has happened. */
const FROM = 200 * MS;

const call = (atUs: number, process: string): CallEvent => {
  const about = { name: "a#", ownerId: undefined, withinMs: 100, steadyMs: 0 };
  return { kind: "call", atUs, process, call: atUs, what: "acquire", ...about };
};
/** X has number 0 on two nodes. */
const zero: HistoryEvent[] = [0, 1].map((node) => key(1, node, undefined, "X", { name: "a#0" }));
/** B asks for some, and gets them. */
const gets = (...numbers: number[]): HistoryEvent[] => [
  call(FROM, "B"),
  send(FROM + 1, "B", 0, { name: numbers.map((number) => `a#${number}`).join(", ") }),
  ...numbers.map((number) => key(FROM + 2, 0, undefined, "B", { name: `a#${number}` })),
  ...numbers.map((number) => grant(FROM + 3, "B", { name: `a#${number}`, permits: 9 })),
];
/** B had number 0, and slept until that was over. */
const overslept: HistoryEvent = { ...end(2, "B0", "expired"), process: "B", name: "a#0" };
const [asks, ...rest] = gets(2);

describe("oracle K3, the numbers of permits", () => {
  judgeCases(
    "K3",
    [
      { title: "the smallest", events: [...zero, ...gets(1)] },
      { title: "the smallest ones", events: [...zero, ...gets(1, 2, 3)] },
      { title: "the first of all", events: gets(0) },
      {
        title: "one that was released while it asked",
        events: [
          ...zero,
          ...[0, 1].map((node) => key(2, node, undefined, "Y", { name: "a#1" })),
          asks as HistoryEvent,
          ...[0, 1].map((node) => key(FROM + 1, node, "Y", undefined, { name: "a#1" })),
          ...rest,
        ],
      },
      {
        title: "one that another asks for at the same moment",
        events: [...zero, send(FROM - MS, "C", 0, { name: "a#1" }), ...gets(2)],
      },
      {
        title: "what it asks for after a node has failed",
        events: [...zero, vote(FROM - MS, "B", 0, { name: "a#1", vote: "fault" }), ...gets(2)],
      },
      { title: "what is free next to one that it lost unnoticed", events: [overslept, ...gets(1)] },
      {
        title: "the same where it noticed that after it had asked",
        events: [overslept, ...gets(1).toSpliced(2, 0, lost(FROM + 1, "B0", "expired"))],
      },
      {
        title: "several callers of a process",
        events: [...zero, call(FROM, "B"), ...gets(2)].map((each, at) =>
          at === 2 && each.kind === "call" ? { ...each, call: 7 } : each,
        ),
      },
    ],
    [
      { title: "one that is not the smallest", events: [...zero, ...gets(2)] },
      { title: "one of several that is not", events: [...zero, ...gets(1, 3)] },
      {
        title: "what is free next to one that it knows it lost",
        events: [overslept, lost(3, "B0", "expired"), ...gets(1)],
      },
      {
        title: "what is free next to one that another lost unnoticed",
        events: [{ ...overslept, process: "C" }, ...gets(1)],
      },
      {
        title: "one that is not the smallest, in a second attempt",
        events: [
          ...zero,
          asks as HistoryEvent,
          send(FROM + 1, "B2", 0, { process: "B", name: "a#0" }),
          ...rest,
        ],
      },
    ],
  );
});
