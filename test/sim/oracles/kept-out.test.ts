import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { checkKeptOut } from "../../../sim/oracles/kept-out.js";
import { judgeCases } from "../../support/check/cases.js";
import { key, nodeEvent, place, send, vote } from "../../support/check/events.js";

const MS = 1_000;
/** What the reader R asks at that instant, and is told 10 ms later. */
const refused = (atMs: number, more = {}): HistoryEvent[] => [
  send(atMs * MS, "R", 0, { mode: "shared" }),
  vote((atMs + 10) * MS, "R", 0, { vote: "refused", ...more }),
];
const writer = place(0, "stands", "acquire", { process: "W" });
const reading = key(0, 0, undefined, "A", { mode: "shared" });

describe("oracle W3, readers that are kept out", () => {
  judgeCases(
    checkKeptOut,
    [
      {
        title: "a reader behind a writer that waits",
        events: [reading, writer, ...refused(5_000)],
      },
      {
        title: "a reader behind a place that counts by the node's clock, which was set back",
        events: [reading, writer, nodeEvent(5, 0, "jump", { byMs: -1_000 }), ...refused(5_900)],
      },
      {
        title: "a reader behind a place that counted again when the node's clock was set back",
        events: [
          ...[reading, writer, ...refused(5_100).slice(0, 1)],
          ...[nodeEvent(5_105 * MS, 0, "jump", { byMs: -1_000 }), ...refused(5_100).slice(1)],
        ],
      },
      {
        title: "a reader behind one that wants a permit",
        events: [place(0, "stands", "acquire", { process: "W", wants: "s" }), ...refused(10)],
      },
      {
        title: "a reader behind a writer that left while it asked",
        events: [
          ...[reading, writer, ...refused(10).slice(0, 1), place(15 * MS, "gone", "leave")],
          ...refused(10).slice(1),
        ],
      },
      {
        title: "a reader beside a lock that is none of readers",
        events: [key(0, 0, undefined, "W"), ...refused(9_000)],
      },
      {
        title: "a reader beside a permit, and beside a lock that ended while it asked",
        events: [
          ...[key(0, 0, undefined, "P", { name: "a#1" }), ...refused(10)],
          ...[send(30 * MS, "R", 0, { mode: "shared", round: 2 })],
          ...[key(35 * MS, 0, "P", undefined, { name: "a#1" })],
          ...[vote(40 * MS, "R", 0, { vote: "refused", round: 2 })],
        ],
      },
      {
        title: "a reader of a name that is kept for somebody",
        events: [place(0, "kept", "release", { process: "W" }), ...refused(10)],
      },
      {
        title: "a lock that was ended, or is in another layout",
        events: refused(10, { isEnded: true }),
      },
      { title: "a reader that gets it", events: refused(10, { vote: "granted" }) },
      {
        title: "one that does not read",
        events: [send(0, "A", 0), vote(10, "A", 0, { vote: "refused" })],
      },
    ],
    [
      { title: "a reader beside readers", events: [reading, ...refused(10)] },
      {
        title: "a reader behind a reader",
        events: [place(0, "stands", "acquire", { process: "W", wants: "r" }), ...refused(10)],
      },
      {
        title: "a reader behind a writer whose place is over",
        events: [reading, writer, ...refused(5_100)],
      },
      {
        title: "a reader behind a place that is over by the node's clock, which runs fast",
        settings: { nodeRatesPpm: [100_000] },
        events: [reading, writer, ...refused(4_600)],
      },
      {
        title: "a reader behind a writer that has left",
        events: [writer, place(5, "gone", "leave", { process: "W" }), ...refused(10)],
      },
      {
        title: "a reader beside a lock that was released",
        events: [key(0, 0, undefined, "W"), key(5, 0, "W", undefined), ...refused(10)],
      },
    ],
  );
});
