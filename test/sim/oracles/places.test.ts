import { judgeCases } from "../../support/check/cases.js";
import { call, nodeEvent, place, send, settle } from "../../support/check/events.js";

const MS = 1_000;
/** Where all queues are those of one node. */
const settings = { nodeCount: 1 };
const waits = call(0, 1, "acquire");
const stands = place(10, "stands", "acquire");

describe("oracle W3, places in the queues", () => {
  judgeCases(
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
        title: "a queue that is kept for as long as a place counts",
        events: [waits, place(10, "stands", "acquire", { keptUs: 5_000 * MS })],
      },
      {
        title:
          "a queue that came back with an older state of the node, whose clock was set back since",
        events: [waits, place(10, "stands", "forget", { keptUs: 6_000 * MS })],
      },
      {
        title:
          "a name that is kept for a place that counts by the node's clock, which was set back",
        events: [
          ...[waits, stands, nodeEvent(20, 0, "jump", { byMs: -1_000 })],
          place(5_900 * MS, "kept", "release"),
        ],
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
        events: [
          ...[waits, stands, settle(60 * MS, 1, "aborted")],
          place(4_000 * MS, "stands", "refresh", { sentUs: 60 * MS }),
        ],
      },
      {
        title: "a refresh for a call that still waits",
        events: [waits, stands, place(4_000 * MS, "stands", "refresh")],
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
        title:
          "a name that is kept for a place that is over by the node's clock, which was set forward",
        events: [
          ...[waits, stands, nodeEvent(20, 0, "jump", { byMs: 1_000 })],
          ...[place(4_100 * MS, "kept", "release"), place(4_100 * MS, "gone", "release")],
        ],
      },
      {
        title: "a queue that lives on after its last place",
        events: [waits, place(10, "stands", "acquire", { keptUs: 5_100 * MS })],
      },
      {
        title: "a queue that never ends",
        events: [waits, place(10, "passed", "release", { keptUs: Number.POSITIVE_INFINITY })],
      },
      {
        title: "a place that is asked for by a process that has given up",
        events: [
          ...[waits, stands, settle(60 * MS, 1, "aborted")],
          place(80 * MS, "stands", "refresh", { sentUs: 60 * MS + 1 }),
        ],
      },
    ],
  );
});
