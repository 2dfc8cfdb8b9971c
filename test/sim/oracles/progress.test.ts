import { judgeCases } from "../../support/check/cases.js";
import { call, grant, phase } from "../../support/check/events.js";

const waiter = call(1_000, 1, "acquire");

describe("oracle L2, progress", () => {
  judgeCases(
    "L2",
    [
      {
        title: "a waiter that is granted",
        events: [phase(0, "heal"), waiter, grant(5_000, "A"), phase(9_000, "progress")],
      },
      { title: "nobody who waits", events: [phase(0, "heal"), phase(9_000, "progress")] },
      { title: "a history without a healing", events: [waiter] },
    ],
    [
      {
        title: "a waiter that is not",
        events: [phase(0, "heal"), waiter, phase(9_000, "progress")],
      },
      {
        title: "a grant before the healing only",
        events: [grant(0, "A"), phase(500, "heal"), waiter, phase(9_000, "progress")],
      },
      {
        title: "a grant after its time only",
        events: [phase(0, "heal"), waiter, phase(9_000, "progress"), grant(9_001, "A")],
      },
    ],
  );
});
