import type { HistoryEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { nodeEvent, send, vote } from "../../support/check/events.js";

/** Asked from 10 to 20, told of an error. */
const told = (more: Partial<Extract<HistoryEvent, { kind: "vote" }>> = {}): HistoryEvent[] => [
  send(10, "A", 0),
  vote(20, "A", 0, { vote: "fault", fault: "server", sent: true, ...more }),
];

describe("oracle E2, errors answer for themselves", () => {
  judgeCases(
    "E2",
    [
      { title: "an error of the whole node", events: [nodeEvent(5, 0, "errors"), ...told()] },
      {
        title: "an error of the name",
        events: [nodeEvent(5, 0, "errors", { name: "a" }), ...told()],
      },
      {
        title: "an error of a name of its set",
        events: [nodeEvent(5, 0, "errors", { name: "b" }), ...told({ name: "a, b" })],
      },
      {
        title: "errors that ended while it was under way",
        events: [
          ...[nodeEvent(5, 0, "errors"), send(10, "A", 0), nodeEvent(15, 0, "calm")],
          ...told().slice(1),
        ],
      },
      { title: "silence", events: told({ fault: "timeout" }) },
      { title: "an operation that was not executed", events: told({ sent: false }) },
      {
        title: "a history that does not tell what kind of fault",
        events: told({ fault: undefined }),
      },
    ],
    [
      { title: "an error of nothing", events: told() },
      {
        title: "an error of another name",
        events: [nodeEvent(5, 0, "errors", { name: "b" }), ...told()],
      },
      {
        title: "an error of a name that is not of its set",
        events: [nodeEvent(5, 0, "errors", { name: "c" }), ...told({ name: "a, b" })],
      },
      { title: "an error of another node", events: [nodeEvent(5, 1, "errors"), ...told()] },
      {
        title: "errors that were over before",
        events: [
          nodeEvent(5, 0, "errors", { name: "a" }),
          nodeEvent(9, 0, "calm", { name: "a" }),
          ...told(),
        ],
      },
      {
        title: "errors of its name that were over, while another name's go on",
        events: [
          ...[nodeEvent(5, 0, "errors", { name: "a" }), nodeEvent(5, 0, "errors", { name: "b" })],
          ...[nodeEvent(9, 0, "calm", { name: "a" }), ...told()],
        ],
      },
      { title: "errors that begin later", events: [...told(), nodeEvent(21, 0, "errors")] },
    ],
  );
});
