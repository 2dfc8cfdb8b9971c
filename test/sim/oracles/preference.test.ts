import { judgeCases } from "../../support/check/cases.js";
import { call, phase, settle } from "../../support/check/events.js";

const reader = call(15, 1, "acquire", { mode: "shared" });
const writer = call(16, 2, "acquire", { waitMs: 30 });
const healed = [phase(10, "heal"), reader, writer] as const;
const read = settle(25, 1, "granted");

describe("oracle W2, writers beside readers", () => {
  judgeCases(
    "W2",
    [
      {
        title: "a writer that gets in",
        events: [...healed, read, settle(30, 2, "granted"), phase(40, "progress")],
      },
      { title: "a run that ends before", events: [...healed, read] },
      {
        title: "a writer that did not wait for long",
        events: [
          ...[phase(10, "heal"), reader, call(16, 2, "acquire", { waitMs: 0 }), read],
          ...[settle(21, 2, "refused"), phase(40, "progress")],
        ],
      },
      { title: "no writers", events: [phase(10, "heal"), reader, read, phase(40, "progress")] },
      {
        title: "no readers: that is for L2",
        events: [phase(10, "heal"), writer, settle(30, 2, "refused"), phase(40, "progress")],
      },
      {
        title: "a writer that gave up before the nodes were healed",
        events: [
          call(1, 7, "acquire"),
          settle(5, 7, "refused"),
          ...healed.slice(0, 2),
          read,
        ].concat(phase(40, "progress")),
      },
    ],
    [
      {
        title: "a writer that does not get in",
        events: [...healed, read, settle(39, 2, "refused"), phase(40, "progress")],
      },
      {
        title: "one of two writers",
        events: [
          ...[...healed, call(16, 3, "acquire", { waitMs: 30 }), read, settle(30, 3, "granted")],
          ...[settle(39, 2, "refused"), phase(40, "progress")],
        ],
      },
      { title: "a writer that still waits", events: [...healed, read, phase(40, "progress")] },
    ],
  );
});
