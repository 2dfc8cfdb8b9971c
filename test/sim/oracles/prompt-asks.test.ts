import type { HistoryEvent, TurnEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, end, grant, send, settle, vote } from "../../support/check/events.js";

const MS = 1_000;
const heard = (
  atUs: number,
  node: number,
  permit?: number,
  wants: TurnEvent["wants"] = permit === undefined ? "" : "s",
): HistoryEvent => ({
  ...{ kind: "turn", atUs, node, name: "a", process: "A", wants, what: "heard" },
  permits: permit === undefined ? undefined : [permit],
});
const round = (atUs: number, ownerId: string): HistoryEvent[] =>
  [0, 1, 2].map((node) => send(atUs, ownerId, node, { process: "A" }));
const answers = (atUs: number, ownerId: string, how: "refused" | "fault"): HistoryEvent[] =>
  [0, 1, 2].map((node) => vote(atUs, ownerId, node, { process: "A", vote: how }));

const waits = [call(0, 1, "acquire"), ...round(0, "x"), ...answers(10, "x", "refused")];
/** The same for a permit. */
const waitsForPermit = [call(0, 1, "acquire", { name: "a#" })];
const told = [heard(5 * MS, 0), heard(6 * MS, 2)];
const later = settle(300 * MS, 1, "refused");

describe("oracle W6, waiters that were told", () => {
  judgeCases(
    "W6",
    [
      {
        title: "an attempt in the instant of the second message",
        events: [...waits, ...told, ...round(6 * MS, "y"), later],
      },
      {
        title: "the message of one of three nodes",
        events: [...waits, heard(5 * MS, 0), heard(6 * MS, 0), later],
      },
      {
        title: "messages about two permits",
        events: [...waitsForPermit, heard(5 * MS, 0, 1), heard(6 * MS, 1, 2), later],
      },
      {
        title: "messages to one that waits for the name, and to another that waits for a permit",
        events: [
          ...[call(0, 2, "acquire", { name: "a#" }), ...waits, heard(5 * MS, 0)],
          ...[heard(6 * MS, 2, undefined, "s"), later],
        ],
      },
      {
        title: "messages about one permit to one that wants two, whoever wants one behind it",
        events: [
          ...[
            call(0, 1, "acquire", { name: "a#", count: 2 }),
            call(0, 2, "acquire", { name: "a#" }),
          ],
          ...[heard(5 * MS, 0, 1), heard(6 * MS, 2, 1), later],
        ],
      },
      {
        title: "messages for a permit to one that waits for the name only",
        events: [...waits, heard(5 * MS, 0, 1), heard(6 * MS, 2, 1), later],
      },
      {
        title: "messages for a permit to one that holds the name",
        events: [
          ...[...waits, call(0, 2, "acquire", { name: "a#" }), grant(MS, "y", { process: "A" })],
          ...[heard(5 * MS, 0, 1), heard(6 * MS, 2, 1), later],
        ],
      },
      {
        title: "messages about a queue that it has left, while another call contends",
        events: [
          ...[...waits, call(0, 2, "acquire"), send(MS, "A", 0, { process: "A", op: "leave" })],
          ...[settle(MS, 1, "refused"), ...told, settle(300 * MS, 2, "refused")],
        ],
      },
      {
        title: "messages that come while it asks",
        events: [...waits, ...round(MS, "y"), ...told, later],
      },
      {
        title: "messages that come while its token is sealed",
        events: [
          ...[...waits, ...round(MS, "y"), ...answers(2 * MS, "y", "refused")],
          ...[send(2 * MS, "y", 0, { process: "A", op: "seal" }), ...told],
          ...[vote(7 * MS, "y", 0, { process: "A", op: "seal" }), later],
        ],
      },
      {
        title: "messages to one that waits no more",
        events: [...waits, settle(MS, 1, "aborted"), ...told, later],
      },
      {
        title: "messages to one that holds the name",
        events: [...waits, grant(MS, "y", { process: "A" }), ...told, later],
      },
      {
        title: "a message that was for the lock it held",
        events: [
          ...[...waits, grant(MS, "y", { process: "A" }), heard(5 * MS, 0)],
          ...[{ ...end(6 * MS, "y"), process: "A" } as HistoryEvent, heard(7 * MS, 2), later],
        ],
      },
      {
        title: "one that has just missed an answer",
        events: [
          call(0, 1, "acquire"),
          ...round(0, "x"),
          ...answers(10, "x", "fault"),
          ...told,
          later,
        ],
      },
      {
        title: "one whose process may make few attempts at once",
        settings: { isNarrow: true },
        events: [...waits, ...told, later],
      },
      {
        title: "the twenty-first in a second",
        events: [
          call(0, 1, "acquire"),
          ...Array.from({ length: 20 }, (_, at) => [
            ...round(at, `x${at}`),
            ...answers(at, `x${at}`, "refused"),
          ]).flat(),
          ...[...told, later],
        ],
      },
    ],
    [
      {
        title: "messages to one beside which a set waits, of which a waiter asks, too",
        events: [call(0, 2, "acquire", { name: "a, b" }), ...waits, ...told, later],
      },
      {
        title: "one that wants one permit and was told of it, whoever wants two behind it",
        events: [
          ...[...waitsForPermit, call(0, 2, "acquire", { name: "a#", count: 2 })],
          ...[heard(5 * MS, 0, 1), heard(6 * MS, 2, 1), later],
        ],
      },
      { title: "one that a quorum told, and that asks nobody", events: [...waits, ...told, later] },
      { title: "one that asks later", events: [...waits, ...told, ...round(9 * MS, "y"), later] },
      {
        title: "one that was told while its process asked for a permit only",
        events: [
          ...[call(0, 2, "acquire", { name: "a#" }), ...waits],
          ...[0, 1, 2].map((node) => send(MS, "p", node, { process: "A", name: "a#1" })),
          ...[...told, later],
        ],
      },
      {
        title: "one that a quorum told of the name when it waited for a permit",
        events: [
          ...[...waitsForPermit, heard(5 * MS, 0, undefined, "s")],
          ...[heard(6 * MS, 2, undefined, "s"), later],
        ],
      },
      {
        title: "one that was told of a permit by a quorum",
        events: [...waitsForPermit, heard(5 * MS, 0, 1), heard(6 * MS, 2, 1), later],
      },
    ],
  );
});
