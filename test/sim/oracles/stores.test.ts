import { judgeCases } from "../../support/check/cases.js";
import { store } from "../../support/check/events.js";

describe("oracle F2, the fenced store", () => {
  judgeCases(
    "F2",
    [
      {
        title: "one after the other",
        events: [store(1, "write", 0), store(2, "read", 1), store(3, "write", 1, { token: 2 })],
      },
      {
        title: "a late writer that is turned away",
        events: [store(1, "write", 0, { token: 2 }), store(2, "reject", 0)],
      },
      {
        title: "two names",
        events: [store(1, "write", 0), store(2, "write", 0, { name: "b" })],
      },
    ],
    [
      { title: "a lost update", events: [store(1, "write", 0), store(2, "write", 0)] },
      {
        title: "a smaller token that was taken",
        events: [store(1, "write", 0, { token: 2 }), store(2, "write", 1)],
      },
    ],
  );
});

describe("oracle F3, the unfenced store", () => {
  const unfenced = { store: "unfenced" } as const;
  judgeCases(
    "F3",
    [
      {
        title: "one after the other",
        events: [store(1, "write", 0, unfenced), store(2, "write", 1, unfenced)],
      },
      {
        title: "what the fenced store loses",
        events: [store(1, "write", 0), store(2, "write", 0)],
      },
    ],
    [
      {
        title: "a lost update",
        events: [store(1, "write", 0, unfenced), store(2, "write", 0, unfenced)],
      },
    ],
  );
});
