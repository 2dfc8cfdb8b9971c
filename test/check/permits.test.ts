import { checkPermits } from "../../src/check/permits.js";
import { judgeCases } from "../support/check/cases.js";
import { end, grant } from "../support/check/events.js";

const [first, second, third] = [0, 1, 2].map((slot) => ({ name: `a#${slot}`, permits: 2 }));

describe("oracle K1, permits", () => {
  judgeCases(
    checkPermits,
    "K1",
    [
      { title: "as many as there are", events: [grant(0, "A", first), grant(5, "B", second)] },
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
      {
        title: "a belief that was over when it began",
        events: [grant(0, "A", first), grant(5, "B"), end(5, "B"), end(9, "A")],
      },
    ],
    [
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
