import { judgeCases } from "../../support/check/cases.js";
import { call, settle } from "../../support/check/events.js";
import type { CallEvent, HistoryEvent, SettleEvent } from "../../../sim/oracles/history.js";

/** Call n waits for the name, in process A unless it says otherwise. */
const waits = (atUs: number, n: number, more: Partial<CallEvent> = {}): CallEvent =>
  call(atUs, n, "acquire", { waitMs: 3_000, ...more });
const of = (process: string): Partial<CallEvent> => ({ process });
const full = (atUs: number, n: number, waitingCount: number): SettleEvent => ({
  ...(settle(atUs, n, "refused") as SettleEvent),
  waitingCount,
});
const asks = (atUs: number, n: number, maxWaiters: number): CallEvent =>
  waits(atUs, n, { maxWaiters });
const LATER_US = 30_000_000;

describe("oracle L8, queues with an end", () => {
  const three: readonly HistoryEvent[] = [
    waits(1, 1),
    waits(2, 2),
    waits(3, 3, of("B")),
    waits(4, 4, of("B")),
  ];
  judgeCases(
    "L8",
    [
      {
        title: "one that is refused by those of its process and other processes",
        events: [...three, asks(10, 9, 3), full(20, 9, 3)],
      },
      {
        title: "one that knows of a few",
        events: [...three, asks(10, 9, 1), full(20, 9, 2)],
      },
      {
        title: "one that counts who has just gone",
        events: [...three, settle(9, 3, "aborted"), asks(10, 9, 3), full(20, 9, 3)],
      },
      {
        title: "one that counts a process with options of its own twice",
        events: [
          waits(3, 3, of("B")),
          waits(4, 4, { ...of("B"), hasOwnOptions: true }),
          ...[asks(10, 9, 2), full(20, 9, 2)],
        ],
      },
      {
        title: "one that is refused for another reason",
        events: [asks(10, 9, 3), settle(20, 9, "refused")],
      },
    ],
    [
      {
        title: "one that is refused by fewer than it allows",
        events: [...three, asks(10, 9, 3), full(20, 9, 2)],
      },
      {
        title: "one that counts another process by its calls",
        events: [...three, asks(10, 9, 1), full(20, 9, 4)],
      },
      {
        title: "one that counts who asks once",
        events: [waits(1, 1, { ...of("B"), waitMs: 0 }), asks(10, 9, 1), full(20, 9, 1)],
      },
      {
        title: "one that counts who waits for another name",
        events: [waits(1, 1, { ...of("B"), name: "b" }), asks(10, 9, 1), full(20, 9, 1)],
      },
      {
        title: "one that counts who has gone for long",
        events: [
          ...[waits(1, 1, of("B")), settle(9, 1, "refused")],
          ...[asks(LATER_US, 9, 1), full(LATER_US + 10, 9, 1)],
        ],
      },
    ],
  );
});
