import { expect } from "chai";
import { CLOSE_CALLS, closeCallsOf, type CloseCalls } from "../../../sim/oracles/close-calls.js";
import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { end, grant, historyOf, key, send, validity } from "../../support/check/events.js";

interface Row {
  readonly title: string;
  readonly events: readonly HistoryEvent[];
  readonly nodeCount?: number;
  readonly counts: Partial<CloseCalls>;
}

const release = { op: "release", by: "A" } as const;

const ROWS: readonly Row[] = [
  {
    title: "two of four each",
    nodeCount: 4,
    events: [0, 1, 2, 3].map((node) => key(node, node, undefined, node < 2 ? "A" : "B")),
    counts: { evenSplit: 1 },
  },
  {
    title: "two of five each",
    nodeCount: 5,
    events: [0, 1, 2, 3].map((node) => key(node, node, undefined, node < 2 ? "A" : "B")),
    counts: {},
  },
  {
    title: "a rollback behind another's grant",
    events: [
      send(0, "A", 0),
      key(1, 0, undefined, "A"),
      grant(2, "B"),
      key(3, 0, "A", undefined, release),
    ],
    counts: { lateRollback: 1 },
  },
  {
    title: "a rollback before another's grant",
    events: [
      send(0, "A", 0),
      key(1, 0, undefined, "A"),
      key(3, 0, "A", undefined, release),
      grant(4, "B"),
    ],
    counts: {},
  },
  {
    title: "the release of what was granted",
    events: [send(0, "A", 0), grant(2, "A"), key(3, 0, "A", undefined, release)],
    counts: {},
  },
  {
    title: "an extension 99 ms before the end",
    events: [grant(0, "A"), validity(889_000, "A")],
    counts: { extendedInLastTenth: 1 },
  },
  {
    title: "an extension 100 ms before the end",
    events: [grant(0, "A"), validity(888_000, "A")],
    counts: {},
  },
  {
    title: "a grant right after the other's keys expired",
    events: [
      grant(0, "A"),
      end(988_000, "A", "expired"),
      key(1_001_000, 0, "A", undefined),
      grant(1_050_000, "B"),
    ],
    counts: { takeoverAtExpiry: 1 },
  },
  {
    title: "a grant long after the other's keys expired",
    events: [
      grant(0, "A"),
      end(988_000, "A", "expired"),
      key(1_001_000, 0, "A", undefined),
      grant(1_052_000, "B"),
    ],
    counts: {},
  },
];

describe("close calls", () => {
  for (const { title, events, nodeCount = 3, counts } of ROWS) {
    it(`counts ${title}`, () => {
      const none = Object.fromEntries(CLOSE_CALLS.map((what) => [what, 0]));
      const seen = closeCallsOf(historyOf(events, { nodeCount }));
      expect(seen).to.deep.equal({ ...none, ...counts });
    });
  }
});
