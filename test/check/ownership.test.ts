import { checkOwnership } from "../../src/check/ownership.js";
import { judgeCases } from "../support/check/cases.js";
import { key } from "../support/check/events.js";

const release = { op: "release", by: "A" } as const;

describe("oracle S4, ownership", () => {
  judgeCases(
    checkOwnership,
    "S4",
    [
      { title: "a free key that is taken", events: [key(0, 0, undefined, "A")] },
      { title: "an own key that is re-timed", events: [key(0, 0, "A", "A", { op: "extend" })] },
      { title: "an own key that is released", events: [key(0, 0, "A", undefined, release)] },
      { title: "a free key that is healed", events: [key(0, 0, undefined, "A", { op: "heal" })] },
      {
        title: "a key that comes back with an older state of the node",
        events: [key(0, 0, "B", "A", { op: "forget", by: undefined })],
      },
      { title: "anybody's key that expires", events: [key(0, 0, "B", undefined)] },
    ],
    [
      { title: "another's key that is deleted", events: [key(0, 0, "B", undefined, release)] },
      {
        title: "a free key that is extended",
        events: [key(0, 0, undefined, "A", { op: "extend" })],
      },
      { title: "another's key that is taken over", events: [key(0, 0, "B", "A")] },
      {
        title: "another's key that is re-timed",
        events: [key(0, 0, "B", "B", { op: "extend", by: "A" })],
      },
    ],
  );
});
