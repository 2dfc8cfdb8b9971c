import { judgeCases } from "../../support/check/cases.js";
import { call, send, settle } from "../../support/check/events.js";

/** Rounds to three nodes, one after the other. */
const rounds = (count: number, everyUs: number, process = "A", name = "a") =>
  Array.from({ length: count }, (_, round) =>
    [0, 1, 2].map((node) =>
      send(round * everyUs, `${process}${round}`, node, { process, name, round }),
    ),
  ).flat();

/** Acquires of one process for one name, that begin at once. */
const calls = (count: number, name = "a") =>
  Array.from({ length: count }, (_, number) => call(0, number, "acquire", { name }));

const settled = (atUs: number, count: number) =>
  Array.from({ length: count }, (_, number) => settle(atUs, number, "refused"));

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
        title: "five of each of more than a dozen calls, also of those that ended just now",
        events: [...calls(16), ...settled(0, 8), ...rounds(80, 1)],
      },
      {
        title: "other operations",
        events: rounds(100, 0).map((event) => ({ ...event, op: "extend" as const })),
      },
    ],
    [
      { title: "one more", events: rounds(61, 0) },
      { title: "one more of a dozen calls", events: [...calls(12), ...rounds(61, 0)] },
      { title: "one more than five of each of a score", events: [...calls(20), ...rounds(101, 0)] },
      {
        title: "one more than sixty, of a score of calls that had ended before",
        events: [...calls(20), ...settled(0, 20), ...rounds(161, 1_001)],
      },
      {
        title: "one more than sixty, of calls for another name",
        events: [...calls(20, "b"), ...rounds(61, 0)],
      },
      { title: "many, one right after the other", events: rounds(200, 1_000) },
    ],
  );
});
