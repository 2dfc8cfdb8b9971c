import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, send } from "../../support/check/events.js";

const [first, second, third] = [0, 1, 2].map((permit) => ({ name: `a#${permit}`, permits: 2 }));

/** Somebody of the process steals the name from A, which then believes on in its permit. */
const preemption = (process: string) => [
  ...[send(0, "A", 0), grant(1, "A", first), send(2, "B", 0, { isPreempting: true, process })],
  key(3, 0, "A", undefined, { name: "a#0", op: "acquire", by: "B" }),
  grant(4, "B", { process }),
];

describe("oracle K1, permits", () => {
  judgeCases(
    "K1",
    [
      { title: "as many as there are", events: [grant(0, "A", first), grant(5, "B", second)] },
      {
        title: "as many as there were when the last asked, though it has heard of fewer since",
        events: [
          { kind: "size", atUs: 0, node: 0, name: "a", count: 3, version: 1 },
          ...[grant(1, "A", first), grant(2, "B", second)],
          grant(9, "C", { ...third, permits: 1 }),
        ],
      },
      {
        title: "as many as there were when they asked, though none had them before it was resized",
        events: [
          ...[send(0, "A", 0, first), send(0, "B", 0, second)],
          { kind: "size", atUs: 1, node: 0, name: "a", count: 1, version: 1 },
          ...[grant(2, "A", { ...first, permits: 1 }), grant(3, "B", { ...second, permits: 1 })],
        ],
      },
      {
        title: "one after the other",
        events: [
          ...[grant(0, "A", first), grant(1, "B", second), end(5, "A"), grant(6, "C", first)],
          ...[end(7, "B"), end(8, "C"), grant(9, "D"), end(10, "D"), grant(11, "E", second)],
        ],
      },
      {
        title: "touching ends, written down the other way round",
        events: [grant(0, "A", first), grant(1, "B", second), grant(5, "C", first), end(5, "A")],
      },
      {
        title: "two semaphores",
        events: [
          ...[grant(0, "A", first), grant(1, "B", second)],
          grant(2, "C", { name: "b#0", permits: 2 }),
        ],
      },
      { title: "one who was preempted by another process", events: preemption("B") },
      {
        title: "a belief that was over when it began",
        events: [grant(0, "A", first), grant(5, "B"), end(5, "B"), end(9, "A")],
      },
    ],
    [
      {
        title: "one who was preempted by its own process, and believes on",
        events: preemption("A"),
      },
      {
        title: "one more than there are",
        events: [grant(0, "A", first), grant(5, "B", second), grant(6, "C", third)],
      },
      {
        title: "one more for a microsecond",
        events: [
          ...[grant(0, "A", first), grant(5, "B", second), grant(9, "C", third)],
          end(10, "A"),
        ],
      },
      {
        title: "the name as a whole beside a permit",
        events: [grant(0, "A"), grant(5, "B", first)],
      },
      {
        title: "a permit beside the name as a whole",
        events: [grant(0, "A", first), grant(5, "B")],
      },
      {
        title: "a reader beside a permit",
        events: [grant(0, "A", first), grant(5, "B", { mode: "shared" })],
      },
    ],
  );
});
