import type { HistoryEvent, PlaceEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { key, nodeEvent, place, send } from "../../support/check/events.js";

const MS = 1_000;
const listens = (...processes: string[]): HistoryEvent[] =>
  processes.map((process) => ({ kind: "inbox", atUs: 0, node: 0, process, isListening: true }));

/** A waits for two of three permits, of which X has one and Y the other. */
const base = (more: Partial<PlaceEvent> = {}): HistoryEvent[] => [
  ...listens("A"),
  send(1, "X", 0, { name: "a#0", permits: 3 }),
  key(1, 0, undefined, "X", { name: "a#0" }),
  key(2, 0, undefined, "Y", { name: "a#1" }),
  place(10, "stands", "acquire", { wants: "s", count: 2, ticket: 5, ...more }),
];
/** It takes the third. */
const takes = (atUs: number, owner: string, ticket?: number): HistoryEvent[] => [
  send(atUs - 1, owner, 0, { name: "a#2", ticket }),
  key(atUs, 0, undefined, owner, { name: "a#2" }),
];
const told = (atUs: number, process: string): HistoryEvent => {
  const about = { node: 0, name: "a", process, wants: "s", permits: [2] } as const;
  return { kind: "turn", atUs, ...about, what: "told" };
};

describe("oracle K2, the order of permits", () => {
  judgeCases(
    "K2",
    [
      { title: "who came first", events: [...base(), ...takes(5 * MS, "B", 4)] },
      { title: "the first itself", events: [...base(), ...takes(5 * MS, "A", 5)] },
      { title: "who was told", events: [...base(), told(3, "B"), ...takes(5 * MS, "B", 9)] },
      {
        title: "who comes after the first has gone",
        events: [
          ...base(),
          place(4 * MS, "gone", "leave", { wants: "s", count: 2 }),
          ...takes(5 * MS, "B"),
        ],
      },
      {
        title: "a step that lets the first in before",
        events: [
          ...base(),
          ...takes(5 * MS, "B"),
          place(5 * MS, "gone", "acquire", { wants: "s", count: 2 }),
        ],
      },
      {
        title: "who comes while a waiter for the whole name is first, which then goes on behind",
        events: [
          ...base(),
          place(20, "stands", "acquire", { process: "C", wants: "", ticket: 3 }),
          ...takes(5 * MS, "B"),
          place(5 * MS, "stands", "release", { process: "C", wants: "", ticket: 9 }),
        ],
      },
      {
        title: "a first that is told itself, and back in its place in the same instant",
        events: [
          ...base({ count: 1 }),
          place(20, "stands", "acquire", { process: "B", wants: "s", ticket: 6 }),
          { ...told(5 * MS, "A"), permits: [3] } as HistoryEvent,
          told(5 * MS, "B"),
          place(5 * MS, "stands", "acquire", { wants: "s", count: 1, ticket: 5 }),
          place(5 * MS, "gone", "acquire", { process: "B", wants: "s" }),
        ],
      },
      {
        title: "who is told in an older place, which it has for as many",
        events: [
          ...base(),
          place(20, "stands", "acquire", { process: "B", wants: "s", ticket: 4 }),
          place(30, "stands", "acquire", { process: "B", wants: "s", count: 2, ticket: 6 }),
          told(5 * MS, "B"),
          place(5 * MS, "gone", "release", { process: "B", wants: "s" }),
        ],
      },
      {
        title: "a first that nobody hears",
        events: [...base({ process: "deaf" }), ...takes(5 * MS, "B")],
      },
      {
        title: "a first that was not seen for too long",
        events: [...base(), ...takes(5_010 * MS, "B")],
      },
      {
        title: "a first that wants the name as a whole",
        events: [...base({ wants: "" }), ...takes(5 * MS, "B")],
      },
      {
        title: "a first that wants the name as a whole, and goes in the same instant",
        events: [
          ...base(),
          place(20, "stands", "acquire", { process: "C", ticket: 1 }),
          ...takes(5 * MS, "B"),
          place(5 * MS, "gone", "release", { process: "C" }),
        ],
      },
      {
        title: "a first that wants more than there are",
        events: [...base({ count: 4 }), ...takes(5 * MS, "B")],
      },
      {
        title: "what is free as the last has expired",
        events: [
          ...base(),
          key(3 * MS, 0, "X", undefined, { name: "a#0" }),
          key(4 * MS, 0, "Y", undefined, { name: "a#1" }),
          ...takes(5 * MS, "B"),
        ],
      },
      {
        title: "a node that fails",
        events: [...base(), nodeEvent(4 * MS, 0, "errors"), ...takes(5 * MS, "B")],
      },
      {
        title: "what is restored",
        events: [
          ...base(),
          send(4 * MS, "B", 0, { name: "a#2" }),
          key(5 * MS, 0, undefined, "B", { name: "a#2", op: "heal" }),
        ],
      },
    ],
    [
      { title: "a newcomer", events: [...base(), ...takes(5 * MS, "B")] },
      {
        title: "a newcomer after one that wanted the name as a whole has gone",
        events: [
          ...base(),
          place(20, "stands", "acquire", { process: "C", ticket: 1 }),
          place(4 * MS, "gone", "release", { process: "C" }),
          ...takes(5 * MS, "B"),
        ],
      },
      { title: "who came later", events: [...base(), ...takes(5 * MS, "B", 6)] },
      {
        title: "a later waiter that is told",
        events: [
          ...base(),
          place(20, "stands", "acquire", { process: "B", wants: "s", ticket: 6 }),
          place(5 * MS, "gone", "release", { process: "B", wants: "s" }),
          told(5 * MS, "B"),
        ],
      },
      {
        title: "who was told long ago",
        events: [...base(), told(3, "B"), ...takes(200 * MS, "B")],
      },
    ],
  );
});
