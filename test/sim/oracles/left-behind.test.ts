import { judgeCases } from "../../support/check/cases.js";
import {
  call,
  end,
  grant,
  nodeEvent,
  place,
  processEvent,
  send,
  settle,
  vote,
} from "../../support/check/events.js";
import type { HistoryEvent, LostEvent } from "../../../sim/oracles/history.js";

const MS = 1_000;
const waits = call(0, 1, "acquire");
const asks = send(0, "A", 0);
const stands = place(10, "stands", "acquire");
const refused = vote(20, "A", 0, { vote: "refused" });
const isInQueue: readonly HistoryEvent[] = [waits, asks, stands, refused];
const gaveUp = settle(100 * MS, 1, "refused");
const leaves = send(100 * MS, "A", 0, { op: "leave", round: 2 });
const hasLeft = vote(102 * MS, "A", 0, { op: "leave", round: 2 });
const gone = place(101 * MS, "gone", "leave");

const lost = (atUs: number): LostEvent => {
  return { kind: "lost", atUs, process: "A", name: "a", ownerId: "A", reason: "expired" };
};

describe("oracle W4, places that are left behind", () => {
  judgeCases(
    "W4",
    [
      { title: "a place of one that waits", events: isInQueue },
      {
        title: "a place that is left by the one that gives up",
        events: [...isInQueue, leaves, gaveUp, gone, hasLeft],
      },
      {
        title: "a leave that is on its way",
        events: [...isInQueue, leaves, gaveUp],
      },
      {
        title: "a leave of which nobody knows whether it was executed",
        events: [...isInQueue, leaves, gaveUp, { ...hasLeft, vote: "fault" }],
      },
      {
        title: "a place of one that waits for the name a second time",
        events: [...isInQueue, call(50 * MS, 2, "acquire"), leaves, gaveUp, hasLeft],
      },
      {
        title: "a place of one that was granted by others and still holds the name",
        events: [...isInQueue, grant(30 * MS, "A"), settle(30 * MS, 1, "granted")],
      },
      {
        title: "one whose lock ran out while its process did not run, until it is told",
        events: [
          ...[...isInQueue, grant(30 * MS, "A"), settle(30 * MS, 1, "granted")],
          ...[call(35 * MS, 2, "release"), end(988 * MS, "A", "expired")],
          ...[settle(1_500 * MS, 2, "released"), leaves, lost(1_500 * MS), gone, hasLeft],
        ],
      },
      {
        title: "the same, released, and taken out by that",
        events: [
          ...[...isInQueue, grant(30 * MS, "A"), settle(30 * MS, 1, "granted")],
          ...[leaves, end(100 * MS, "A"), gone, hasLeft],
        ],
      },
      {
        title: "a place that is over by the node's clock",
        settings: { nodeCount: 1 },
        events: [
          ...[...isInQueue, nodeEvent(60 * MS, 0, "jump", { byMs: 5_000 })],
          ...[leaves, gaveUp, hasLeft],
        ],
      },
      {
        title: "a place that came back with an older state of the node",
        events: [
          ...[...isInQueue, leaves, gaveUp, gone],
          ...[place(102 * MS, "stands", "forget"), hasLeft],
        ],
      },
      {
        title: "a place of a process that died: its connection was closed, and the place ends",
        events: [
          ...isInQueue,
          send(50 * MS, "A", 0, { round: 3 }),
          processEvent(60 * MS, "A", "crash"),
        ],
      },
    ],
    [
      {
        title: "a place of one whose lock ran out, after it was told",
        events: [
          ...[...isInQueue, grant(30 * MS, "A"), settle(30 * MS, 1, "granted")],
          ...[call(35 * MS, 2, "release"), end(988 * MS, "A", "expired"), lost(988 * MS)],
          settle(1_500 * MS, 2, "released"),
        ],
      },
      {
        title: "a place of one that gave up without a leave",
        events: [...isInQueue, gaveUp],
      },
      {
        title: "a place that a leave left there",
        events: [...isInQueue, leaves, gaveUp, hasLeft],
      },
      {
        title: "a place that was written after the leave",
        events: [
          ...[...isInQueue, leaves, gaveUp, gone],
          ...[place(101 * MS, "stands", "release"), hasLeft],
        ],
      },
      {
        title: "one of two places of a process",
        events: [
          ...[...isInQueue, place(30, "stands", "acquire", { turnMs: 9 })],
          ...[leaves, gaveUp, gone, hasLeft],
        ],
      },
      {
        title: "a place for which the name was granted and released",
        events: [
          ...[...isInQueue, grant(30 * MS, "A"), settle(30 * MS, 1, "granted")],
          ...[send(90 * MS, "A", 0, { op: "release" }), end(90 * MS, "A")],
          vote(95 * MS, "A", 0, { op: "release", vote: "refused" }),
        ],
      },
      {
        title: "a place of a set in the queue of one of its names",
        events: [
          call(0, 1, "acquire", { name: "a, b" }),
          send(0, "A", 0, { name: "a, b" }),
          ...[stands, vote(20, "A", 0, { vote: "refused", name: "a, b" }), gaveUp],
        ],
      },
    ],
  );
});
