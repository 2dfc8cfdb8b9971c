import { judgeCases } from "../../support/check/cases.js";
import { call, processEvent, settle } from "../../support/check/events.js";

const fair = { isFair: true };
const first = call(0, 1, "acquire", fair);
const second = call(10, 2, "acquire", fair);

describe("oracle W1, order", () => {
  judgeCases(
    "W1",
    [
      {
        title: "first come, first served",
        events: [first, second, settle(20, 1, "granted"), settle(20, 2, "granted")],
      },
      {
        title: "an owner, who may be in already",
        events: [
          ...[first, call(10, 2, "acquire", { ...fair, owner: "job" })],
          ...[settle(20, 2, "granted"), settle(30, 1, "granted")],
        ],
      },
      {
        title: "the second, at the instant after the first gave up",
        events: [first, second, settle(20, 1, "aborted"), settle(20, 2, "granted")],
      },
      {
        title: "the second ends before the first without getting it",
        events: [first, second, settle(20, 2, "refused"), settle(30, 1, "granted")],
      },
      {
        title: "a reader that passes a reader",
        events: [
          call(0, 1, "acquire", { ...fair, mode: "shared" }),
          call(10, 2, "acquire", { ...fair, mode: "shared" }),
          ...[settle(20, 2, "granted"), settle(21, 1, "granted")],
        ],
      },
      {
        title: "those of another process",
        events: [
          first,
          call(10, 2, "acquire", { ...fair, process: "B" }),
          settle(20, 2, "granted"),
        ],
      },
      {
        title: "those who want another name",
        events: [first, call(10, 2, "acquire", { ...fair, name: "b" }), settle(20, 2, "granted")],
      },
      {
        title: "one who did not ask for it",
        events: [first, call(10, 2, "acquire"), settle(20, 2, "granted")],
      },
      {
        title: "one attempt that does not wait came first",
        events: [call(0, 1, "acquire", { ...fair, waitMs: 0 }), second, settle(20, 2, "granted")],
      },
      {
        title: "one that died came first",
        events: [first, processEvent(5, "A", "crash"), second, settle(20, 2, "granted")],
      },
    ],
    [
      {
        title: "one without an owner that passes one with",
        events: [
          ...[call(0, 1, "acquire", { ...fair, owner: "job" }), second],
          ...[settle(20, 2, "granted"), settle(21, 1, "granted")],
        ],
      },
      {
        title: "a reader that passes a writer",
        events: [
          ...[first, call(10, 2, "acquire", { ...fair, mode: "shared" })],
          ...[settle(20, 2, "granted"), settle(21, 1, "granted")],
        ],
      },
      {
        title: "a writer that passes a reader",
        events: [
          ...[call(0, 1, "acquire", { ...fair, mode: "shared" }), second],
          ...[settle(20, 2, "granted"), settle(21, 1, "granted")],
        ],
      },
      {
        title: "the second while the first still waits",
        events: [first, second, settle(20, 2, "granted"), settle(20, 1, "granted")],
      },
      {
        title: "the third while the first still waits, after the second",
        events: [
          first,
          second,
          call(10, 3, "acquire", fair),
          settle(20, 2, "refused"),
          settle(30, 3, "granted"),
        ],
      },
    ],
  );
});
