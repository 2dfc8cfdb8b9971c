import { createHash } from "node:crypto";
import { judgeCases } from "../../support/check/cases.js";
import { key } from "../../support/check/events.js";
import type { HistoryEvent, ObservedEvent } from "../../../sim/oracles/history.js";

const hashOf = (owner: string): string => createHash("sha1").update(owner).digest("hex");
const shown = (atUs: number, owner?: string, more: Partial<ObservedEvent> = {}): ObservedEvent => ({
  ...{ kind: "observed", atUs, process: "P", name: "a", observer: "P 1" },
  ...(owner !== undefined && { who: hashOf(owner), fence: 1 }),
  ...more,
});
const on = (
  atUs: number,
  nodes: readonly number[],
  before?: string,
  after?: string,
): HistoryEvent[] => nodes.map((node) => key(atUs, node, before, after));
const LATER_US = 4_000_000;

describe("oracle I4, observers", () => {
  const held = on(10, [0, 1], undefined, "A");
  judgeCases(
    "I4",
    [
      { title: "a holder that a quorum has", events: [...held, shown(20, "A")] },
      { title: "nobody at first", events: [shown(20)] },
      {
        title: "one that was there a moment ago",
        events: [...held, ...on(30, [0, 1], "A"), shown(40, "A"), shown(50)],
      },
      {
        title: "one that had its nodes one after the other",
        events: [
          ...[...on(10, [0], undefined, "A"), ...on(20, [0], "A"), ...on(30, [1], undefined, "A")],
          shown(40, "A"),
        ],
      },
      {
        title: "the next with a higher token",
        events: [
          ...[...held, shown(20, "A"), ...on(30, [0, 1], "A", "B")],
          shown(40, "B", { fence: 2 }),
        ],
      },
      {
        title: "its own values in order",
        events: [
          ...held,
          shown(20, "A"),
          shown(30, "A", { value: "1 of A" }),
          shown(40, "A", { value: "3 of A" }),
        ],
      },
    ],
    [
      {
        title: "one that a minority has",
        events: [...on(10, [0], undefined, "A"), shown(20, "A")],
      },
      { title: "one that nobody knows", events: [shown(20, "A")] },
      {
        title: "nobody while somebody has it",
        events: [...held, shown(LATER_US, undefined)],
      },
      {
        title: "one that has been gone for long",
        events: [...held, ...on(30, [0, 1], "A"), shown(LATER_US, "A")],
      },
      {
        title: "the next with a lower token",
        events: [
          ...[...held, shown(20, "A"), ...on(30, [0, 1], "A", "B")],
          shown(40, "B", { fence: 1 }),
        ],
      },
      {
        title: "the value of another",
        events: [...held, shown(30, "A", { value: "1 of B" })],
      },
      {
        title: "an earlier value",
        events: [...held, shown(30, "A", { value: "2 of A" }), shown(40, "A", { value: "1 of A" })],
      },
    ],
  );
});
