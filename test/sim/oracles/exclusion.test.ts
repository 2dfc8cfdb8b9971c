import type { ForeignEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, send } from "../../support/check/events.js";

const job = { owner: "job" } as const;
const reader = { mode: "shared" } as const;

/** Somebody of the process steals from A, which then believes on. */
const preemption = (process: string, preemptor = { isPreempting: true }) => [
  ...[send(0, "A", 0), key(0, 0, undefined, "A"), grant(0, "A")],
  ...[send(1, "B", 0, { process, ...preemptor }), key(2, 0, "A", "B"), grant(3, "B", { process })],
];

/** An operator ends the lock of A, which then believes on; its node was told so before, or was not. */
const ending = (op: "revoke" | "release" = "revoke") => [
  ...[key(0, 0, undefined, "A"), grant(0, "A"), send(1, "A", 0, { process: "operator", op })],
  ...[key(2, 0, "A", undefined, { op: "release", by: "A" }), grant(3, "B")],
];

const foreign = (
  atUs: number,
  ownerId: string,
  what: ForeignEvent["what"] = "grant",
): ForeignEvent => ({ kind: "foreign", atUs, process: ownerId, name: "a", ownerId, what });

describe("oracle S1, exclusion", () => {
  judgeCases(
    "S1",
    [
      { title: "one after the other", events: [grant(0, "A"), end(9, "A"), grant(10, "B")] },
      { title: "touching ends", events: [grant(0, "A"), end(10, "A"), grant(10, "B")] },
      {
        title: "touching ends, written down the other way round",
        events: [grant(0, "A"), grant(10, "B"), end(10, "A")],
      },
      { title: "two names", events: [grant(0, "A"), grant(5, "B", { name: "b" })] },
      {
        title: "readers side by side",
        events: [grant(0, "A", reader), grant(5, "B", reader), end(9, "A"), end(12, "B")],
      },
      {
        title: "a writer after the last of them, and one more reader after it",
        events: [
          ...[grant(0, "A", reader), grant(1, "B", reader), end(5, "A"), end(9, "B")],
          ...[grant(9, "C"), end(12, "C"), grant(12, "D", reader)],
        ],
      },
      {
        title: "holds of one owner",
        events: [grant(0, "A", job), grant(5, "B", job), end(9, "A"), grant(10, "C", job)],
      },
      {
        title:
          "one who was preempted by another process, beside the preemptor and who comes after it",
        events: [...preemption("B"), end(4, "B"), grant(5, "C"), end(6, "C"), end(9, "A")],
      },
      {
        title: "one whose lock was ended by force, beside who comes after it",
        events: ending(),
      },
      {
        title: "one who was preempted before it was granted",
        events: [
          ...[send(0, "A", 0), key(0, 0, undefined, "A"), send(1, "B", 0, { isPreempting: true })],
          ...[key(2, 0, "A", "B"), grant(3, "B"), grant(4, "A"), end(9, "A")],
        ],
      },
      {
        title: "a belief that was over when it began",
        events: [grant(0, "A"), grant(5, "B"), end(5, "B"), end(9, "A")],
      },
      {
        title: "foreign code behind one of ours, and one of ours behind it",
        events: [
          ...[grant(0, "A"), end(5, "A"), foreign(5, "F"), foreign(9, "F", "end"), grant(9, "B")],
        ],
      },
      { title: "foreign code beside its own kind", events: [foreign(0, "F"), foreign(5, "G")] },
      {
        title: "one from whom foreign code has taken the key against its own rules",
        events: [
          ...[grant(0, "A"), key(4, 0, "A", "F", { op: "foreign", isTrespass: true })],
          foreign(5, "F"),
        ],
      },
      {
        title: "foreign code whose key was taken by its own kind before it was told of its grant",
        events: [
          key(4, 0, "F", undefined, { by: "G", op: "foreign" }),
          foreign(5, "F"),
          grant(7, "A"),
        ],
      },
      {
        title: "foreign code whose key was taken by its own kind",
        events: [
          ...[foreign(0, "F"), key(4, 0, "F", "G", { op: "foreign" })],
          ...[key(6, 0, "G", undefined, { by: "G", op: "foreign" }), grant(7, "A")],
        ],
      },
    ],
    [
      {
        title: "one who was preempted by its own process, and believes on",
        events: preemption("A"),
      },
      {
        title: "one whose key was taken by an acquire that was no preemption",
        events: preemption("B", { isPreempting: false }),
      },
      { title: "one whose key was deleted without that", events: ending("release") },
      {
        title: "one beside an operator that has ended nothing yet",
        events: [grant(0, "A"), send(1, "A", 0, { op: "revoke" }), grant(2, "B")],
      },
      {
        title: "one beside a preemptor that took nothing from it",
        events: [send(0, "B", 0, { isPreempting: true }), grant(0, "A"), grant(1, "B")],
      },
      {
        title: "an overlap of one microsecond",
        events: [grant(0, "A"), grant(9, "B"), end(10, "A")],
      },
      { title: "foreign code beside one of ours", events: [grant(0, "A"), foreign(9, "F")] },
      {
        title: "one of ours beside foreign code, whose key it took",
        events: [foreign(0, "F"), key(4, 0, "F", "A"), grant(9, "A")],
      },
      {
        title: "foreign code that took the key by its own rules",
        events: [grant(0, "A"), key(4, 0, "A", "F", { op: "foreign" }), foreign(9, "F")],
      },
      { title: "two owners", events: [grant(0, "A", job), grant(9, "B", { owner: "task" })] },
      { title: "an owner beside one without", events: [grant(0, "A", job), grant(9, "B")] },
      { title: "an owner beside a reader", events: [grant(0, "A", job), grant(9, "B", reader)] },
      {
        title: "another owner behind two holds, of which one is left",
        events: [
          ...[grant(0, "A", job), grant(1, "B", job), end(5, "A")],
          grant(9, "C", { owner: "task" }),
        ],
      },
      { title: "a belief that never ended", events: [grant(0, "A"), grant(9, "B")] },
      {
        title: "a reader beside a writer",
        events: [grant(0, "A"), grant(1, "B", reader), end(2, "B"), end(10, "A")],
      },
      {
        title: "a writer beside the longer of two readers",
        events: [
          ...[grant(0, "A", reader), grant(1, "B", reader), end(5, "B")],
          ...[grant(6, "C"), end(7, "C"), end(10, "A")],
        ],
      },
      {
        title: "a reader beside a writer and a reader",
        events: [grant(0, "A", reader), grant(1, "B", reader), end(2, "A"), end(2, "B")].concat(
          grant(3, "C"),
          grant(4, "D", reader),
          end(9, "C"),
        ),
      },
      {
        title: "a short belief within a long one, and one after the short one",
        events: [
          grant(0, "A"),
          end(5, "A"),
          grant(5, "B"),
          grant(6, "C"),
          end(6, "C"),
          grant(7, "D"),
        ],
      },
    ],
  );
});
