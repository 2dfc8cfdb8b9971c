import { checkSettling } from "../../../sim/oracles/settling.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, phase, processEvent, settle } from "../../support/check/events.js";

const asked = call(0, 1, "acquire");
const late = phase(9_000_000, "clean");

describe("oracle L1, settling", () => {
  judgeCases(
    checkSettling,
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
      { title: "a process that died", events: [asked, processEvent(50_000, "A", "crash"), late] },
      { title: "a call that is still in time at the end", events: [asked, phase(90_000, "clean")] },
    ],
    [
      { title: "an answer too late", events: [asked, settle(107_000, 1, "granted"), late] },
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
