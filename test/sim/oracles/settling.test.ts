import { judgeCases } from "../../support/check/cases.js";
import { call, phase, processEvent, send, settle } from "../../support/check/events.js";

const asked = call(0, 1, "acquire");
/** Each attempt takes as long as the call. */
const queue = { underWayCount: 1, window: 1, attemptMs: 100 };
const late = phase(9_000_000, "clean");

describe("oracle L1, settling", () => {
  judgeCases(
    "L1",
    [
      { title: "an answer at the deadline", events: [asked, settle(100_000, 1, "granted"), late] },
      {
        title: "an answer within a few ticks of it",
        events: [asked, settle(106_000, 1, "refused"), late],
      },
      {
        title: "an answer after a stop as long as its delay",
        events: [
          asked,
          processEvent(50_000, "A", "pause"),
          processEvent(1_050_000, "A", "resume"),
          settle(1_100_000, 1, "refused"),
          late,
        ],
      },
      {
        title: "a call behind an attempt under way, and one that overtook it",
        events: [
          { ...asked, queue },
          ...[
            send(10, "X", 0, { round: 1, process: "A" }),
            send(20, "X", 1, { round: 1, process: "A" }),
          ],
          ...[send(30, "Y", 0, { round: 2, process: "A" }), settle(306_000, 1, "refused"), late],
        ],
      },
      { title: "a process that died", events: [asked, processEvent(50_000, "A", "crash"), late] },
      { title: "a call that is still in time at the end", events: [asked, phase(90_000, "clean")] },
    ],
    [
      { title: "an answer too late", events: [asked, settle(107_000, 1, "granted"), late] },
      {
        title: "an answer later than the attempts in front of it account for",
        events: [
          { ...asked, queue },
          ...[
            send(10, "X", 0, { round: 1, process: "A" }),
            send(20, "X", 1, { round: 1, process: "A" }),
          ],
          ...[settle(207_000, 1, "refused"), late],
        ],
      },
      {
        title: "a call behind fewer attempts than may be under way",
        events: [
          { ...asked, queue: { ...queue, window: 2 } },
          ...[send(10, "X", 0, { round: 1, process: "A" }), settle(107_000, 1, "refused"), late],
        ],
      },
      {
        title: "a call behind attempts of another process",
        events: [
          { ...asked, queue },
          ...[1, 2].map((round) => send(10, "X", 0, { round, process: "B" })),
          ...[settle(207_000, 1, "refused"), late],
        ],
      },
      { title: "no answer at all", events: [asked, late] },
      {
        title: "the stop of another process",
        events: [
          asked,
          processEvent(50_000, "B", "pause"),
          processEvent(1_050_000, "B", "resume"),
          settle(1_100_000, 1, "refused"),
          late,
        ],
      },
    ],
  );
});
