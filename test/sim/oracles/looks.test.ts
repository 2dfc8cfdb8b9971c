import type { HistoryEvent, ReadinessEvent, ReportEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { eligible, key } from "../../support/check/events.js";

/** A look from 10 to 20 ms. */
const report = (more: Partial<ReportEvent>): HistoryEvent => {
  const about = { process: "B", name: "a", sinceUs: 10_000, state: "undecided" } as const;
  return { kind: "report", atUs: 20_000, ...about, holders: [], freeNodes: [], ...more };
};
const seen = (nodes: readonly number[], remainingMs = 900) => ({
  holders: [{ name: "a", ownerId: "A", nodes, remainingMs }],
});
const stands = (node: number, atUs = 5_000) =>
  key(atUs, node, undefined, "A", { deadUs: 1_000_000 });
const leaves = (node: number, atUs: number) => key(atUs, node, "A", undefined);

describe("oracle I1, looks", () => {
  judgeCases(
    "I1",
    [
      {
        title: "a holder on a quorum",
        events: [stands(0), stands(1), report({ state: "held", ...seen([0, 1]) })],
      },
      {
        title: "one who came, and one who left, while it was looked",
        events: [
          ...[stands(0, 15_000), stands(1), leaves(1, 15_000)],
          report({ state: "held", ...seen([0, 1]), freeNodes: [0] }),
        ],
      },
      {
        title: "a name that nobody ever had",
        events: [report({ state: "free", freeNodes: [1, 2] })],
      },
    ],
    [
      {
        title: "one who had left before",
        events: [stands(0), stands(1), leaves(1, 9_000), report(seen([0, 1]))],
      },
      { title: "one who was never there", events: [stands(0), report(seen([1]))] },
      {
        title: "a key that outlives what the node has",
        events: [stands(0), stands(1), report(seen([0, 1], 1_010))],
      },
      {
        title: "a name that was held all the time",
        events: [stands(0), report({ state: "free", freeNodes: [0, 1] })],
      },
      {
        title: "held by a minority",
        events: [stands(0), report({ state: "held", ...seen([0]) })],
      },
      { title: "free by a minority", events: [report({ state: "free", freeNodes: [2] })] },
    ],
  );
});

const told = (
  isReady: boolean,
  states: string,
  more: Partial<ReadinessEvent> = {},
): HistoryEvent => {
  const times = { waitedMs: 500, timeoutMs: 500, ...more };
  const about = { atUs: 1, process: "A", isReady, states: states.split(" ") };
  return { kind: "readiness", ...about, ...times };
};

const voting = [0, 1, 2].map((node) => eligible(0, node));

describe("oracle I2, readiness", () => {
  judgeCases(
    "I2",
    [
      {
        title: "a quorum at once",
        events: [...voting, told(true, "ready ready down", { waitedMs: 0 })],
      },
      {
        title: "nodes that nobody has opened, after the longest lease",
        events: [told(true, "ready ready down", { atUs: 1_000_000 })],
      },
      {
        title: "nodes that have forgotten, and nobody knows so far",
        events: [...voting, eligible(1, 0, false), told(true, "ready ready down")],
      },
      { title: "no quorum in time", events: [told(false, "down connecting down")] },
    ],
    [
      { title: "ready without a quorum", events: [...voting, told(true, "ready connecting down")] },
      {
        title: "a node that nobody has opened",
        events: [eligible(0, 0), told(true, "ready ready down", { atUs: 999_999 })],
      },
      {
        title: "not ready with a quorum",
        events: [...voting, told(false, "ready down ready")],
      },
      { title: "not ready too soon", events: [told(false, "down down down", { waitedMs: 499 })] },
      { title: "a node of which nothing is told", events: [told(true, "ready ready")] },
    ],
  );
});
