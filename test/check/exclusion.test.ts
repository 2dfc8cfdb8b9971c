import { checkExclusion } from "../../src/check/exclusion.js";
import { judgeCases } from "../support/check/cases.js";
import { end, grant } from "../support/check/events.js";

describe("oracle S1, exclusion", () => {
  judgeCases(
    checkExclusion,
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
        title: "a belief that was over when it began",
        events: [grant(0, "A"), grant(5, "B"), end(5, "B"), end(9, "A")],
      },
    ],
    [
      {
        title: "an overlap of one microsecond",
        events: [grant(0, "A"), grant(9, "B"), end(10, "A")],
      },
      { title: "a belief that never ended", events: [grant(0, "A"), grant(9, "B")] },
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
