import { judgeCases } from "../../support/check/cases.js";
import { send } from "../../support/check/events.js";

/** Rounds to three nodes, one after the other. */
const rounds = (count: number, everyUs: number, process = "A", name = "a") =>
  Array.from({ length: count }, (_, round) =>
    [0, 1, 2].map((node) =>
      send(round * everyUs, `${process}${round}`, node, { process, name, round }),
    ),
  ).flat();

describe("oracle L5, the pace of those who wait", () => {
  judgeCases(
    "L5",
    [
      { title: "sixty rounds at once", events: rounds(60, 0) },
      { title: "many rounds in a long time", events: rounds(1_000, 2_000) },
      {
        title: "sixty of each of two processes, and of two names",
        events: [...rounds(60, 0), ...rounds(60, 0, "B"), ...rounds(60, 0, "A", "b")],
      },
      {
        title: "other operations",
        events: rounds(100, 0).map((event) => ({ ...event, op: "extend" as const })),
      },
    ],
    [
      { title: "one more", events: rounds(61, 0) },
      { title: "many, one right after the other", events: rounds(200, 1_000) },
    ],
  );
});
