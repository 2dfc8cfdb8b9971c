import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, phase, processEvent, send, vote } from "../../support/check/events.js";

const taken = [send(0, "A", 0), key(1, 0, undefined, "A")];
const clean = phase(900_000, "clean");

describe("oracle L3, clean nodes", () => {
  judgeCases(
    "L3",
    [
      {
        title: "a key that was released",
        events: [...taken, key(5, 0, "A", undefined, { op: "release", by: "A" }), clean],
      },
      {
        title: "a key that came back with an older state of the node",
        events: [
          ...[...taken, key(5, 0, "A", undefined, { op: "release", by: "A" })],
          ...[key(6, 0, undefined, "A", { op: "forget", by: undefined }), clean],
        ],
      },
      {
        title: "a key of a lock that was given away, and not adopted",
        events: [...taken, grant(2, "A"), end(5, "A", "given"), clean],
      },
      {
        title: "a key of an attempt that is being rolled back",
        events: [...taken, send(850_000, "A", 0, { op: "release", round: 2 }), clean],
      },
      { title: "a key whose lock is held", events: [...taken, grant(2, "A"), clean] },
      {
        title: "a key of a lock that was released before its minimum hold was over",
        events: [...taken, grant(2, "A", { minHoldMs: 900 }), end(5, "A"), clean],
      },
      {
        title: "a key of a process that died",
        events: [...taken, processEvent(5, "A", "crash"), clean],
      },
      {
        title: "a key of a process that closed before the node took the release",
        events: [
          ...[...taken, send(2, "A", 0, { op: "release", round: 2 })],
          ...[vote(5, "A", 0, { op: "release", round: 2, vote: "fault", fault: "closed" }), clean],
        ],
      },
    ],
    [
      {
        title: "a key that came back, and was then set again for a lock that was given up",
        events: [
          ...[...taken, key(6, 0, "A", "A", { op: "forget", by: undefined })],
          ...[key(7, 0, "A", "A", { op: "extend" }), clean],
        ],
      },
      { title: "a key of an attempt that was never granted", events: [...taken, clean] },
      {
        title: "a key whose release must have arrived",
        events: [...taken, send(700_000, "A", 0, { op: "release", round: 2 }), clean],
      },
      {
        title: "a key of a lock whose minimum hold is over",
        events: [...taken, grant(2, "A", { minHoldMs: 870 }), end(5, "A"), clean],
      },
      {
        title: "a key of a lock that was released",
        events: [...taken, grant(2, "A"), end(5, "A"), clean],
      },
    ],
  );
});

const remains = (timerCount: number, openCallCount: number): HistoryEvent => {
  return { kind: "remains", atUs: 9, process: "A", timerCount, openCallCount };
};
const closing = processEvent(1, "A", "closing");

describe("oracle L4, clean processes", () => {
  judgeCases(
    "L4",
    [{ title: "a process with nothing left", events: [closing, remains(0, 0)] }],
    [
      { title: "a timer", events: [closing, remains(1, 0)] },
      { title: "an open call", events: [closing, remains(0, 1)] },
      { title: "a close that never ends", events: [closing] },
    ],
  );
});
