import { checkPlaces } from "../../../sim/oracles/places.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, phase, place, send, settle } from "../../support/check/events.js";

const MS = 1_000;
/** Where all queues are those of one node. */
const settings = { nodeCount: 1 };
const waits = call(0, 1, "acquire");
const stands = place(10, "stands", "acquire");

describe("oracle W3, places in the queues", () => {
  judgeCases(
    checkPlaces,
    "W3",
    [
      {
        title: "a name that is kept for the one that stands there, and is taken out with it",
        events: [waits, stands, place(9 * MS, "kept", "release"), place(9 * MS, "gone", "release")],
      },
      {
        title: "the same at the very end of the place",
        events: [waits, stands, place(5_000 * MS, "kept", "release")],
      },
      {
        title: "the same of a place that was refreshed",
        settings,
        events: [
          ...[waits, stands, place(3_000 * MS, "stands", "refresh")],
          place(8_000 * MS, "kept", "release"),
        ],
      },
      {
        title: "a name that is kept for the process whose release queues up",
        events: [waits, send(5, "A", 0), place(20, "kept", "release", { by: "A" })],
      },
      {
        title: "a queue into which somebody was written for a moment",
        settings,
        events: [
          ...[
            waits,
            stands,
            settle(1_000 * MS, 1, "aborted"),
            place(2_000 * MS, "passed", "release"),
          ],
          place(7_000 * MS, "gone", "expire"),
        ],
      },
      {
        title: "a queue that ends with its last place",
        events: [waits, stands, place(5_011 * MS, "gone", "expire")],
      },
      {
        title: "a place that came back with an older state of the node, and ends as it would have",
        events: [
          ...[waits, stands, place(20, "gone", "leave")],
          place(2_000 * MS, "stands", "forget"),
          place(6_000 * MS, "gone", "expire"),
        ],
      },
      {
        title: "a refresh on its way while the last one gave up",
        settings,
        events: [
          ...[waits, stands, phase(50 * MS, "calm"), settle(60 * MS, 1, "aborted")],
          place(1_000 * MS, "stands", "refresh"),
          place(6_010 * MS, "gone", "expire"),
        ],
      },
      {
        title: "a refresh long after all was healed, for a call that still waits",
        settings,
        events: [
          ...[waits, stands, phase(50 * MS, "calm")],
          place(4_000 * MS, "stands", "refresh"),
          place(9_000 * MS, "gone", "leave"),
        ],
      },
    ],
    [
      {
        title: "a name that is kept for one whose place was over",
        events: [
          ...[waits, stands, place(5_100 * MS, "kept", "release")],
          place(5_100 * MS, "gone", "release"),
        ],
      },
      {
        title: "a name that is kept for one that had left",
        events: [waits, stands, place(20, "gone", "leave"), place(30, "kept", "release")],
      },
      {
        title: "a name that is kept for one that had left, and wanted to read as well",
        events: [
          ...[
            waits,
            place(10, "stands", "acquire", { wants: "r" }),
            place(20, "gone", "leave", { wants: "r" }),
          ],
          place(30, "kept", "release"),
        ],
      },
      {
        title: "a name that is kept for one that never stood there",
        events: [waits, place(30, "kept", "release", { process: "B", by: "A" })],
      },
      {
        title: "a queue that lives on after its last place",
        events: [waits, stands, place(5_100 * MS, "gone", "expire")],
      },
      {
        title: "a queue that is still there at the end",
        events: [waits, stands, phase(6_000 * MS, "clean")],
      },
      {
        title: "a place that is written for a process that has long given up",
        events: [
          ...[waits, stands, phase(50 * MS, "calm"), settle(60 * MS, 1, "aborted")],
          ...[place(2_000 * MS, "stands", "refresh"), place(7_000 * MS, "gone", "expire")],
        ],
      },
    ],
  );
});
