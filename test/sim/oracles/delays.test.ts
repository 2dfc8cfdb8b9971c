import { judgeCases } from "../../support/check/cases.js";
import { end, grant, key, send } from "../../support/check/events.js";

const delayed = { lockDelayMs: 1 } as const;
const kept = { minHoldMs: 1 } as const;
const reader = { mode: "shared" } as const;

/** B goes on with what A gave away. */
const adoption = (atUs: number, giver: string, adopter: string) =>
  [send(atUs, adopter, 0, { previous: giver }), grant(atUs + 1, adopter)] as const;

/** Somebody of the process of A steals its name, an operator ends its lock by force, or nobody may do what is done. */
const robbed = (atUs: number, how: "stolen" | "ended" | "neither") => {
  const steals = { process: "A", isPreempting: how === "stolen" } as const;
  return how === "ended"
    ? ([
        send(atUs, "A", 0, { op: "revoke" }),
        key(atUs, 0, "A", undefined, { op: "release", by: "A" }),
      ] as const)
    : ([send(atUs, "B", 0, steals), key(atUs, 0, "A", "B")] as const);
};

describe("oracle D1, the lock-delay", () => {
  judgeCases(
    "D1",
    [
      {
        title: "a grant when the delay is over",
        events: [grant(0, "A", delayed), end(10, "A", "expired"), grant(1_010, "B")],
      },
      {
        title: "a grant at once after a release",
        events: [grant(0, "A", delayed), end(10, "A"), grant(11, "B")],
      },
      {
        title: "an adoption",
        events: [grant(0, "A", delayed), end(10, "A", "given"), grant(11, "B")],
      },
      ...(["stolen", "ended"] as const).map((how) => ({
        title: `a grant of a name that was ${how}`,
        events: [grant(0, "A", delayed), ...robbed(9, how), end(10, "A", "lost"), grant(11, "B")],
      })),
      { title: "no delay", events: [grant(0, "A"), end(10, "A", "lost"), grant(11, "B")] },
      {
        title: "another name",
        events: [grant(0, "A", delayed), end(10, "A", "lost"), grant(11, "B", { name: "b" })],
      },
      {
        title: "readers beside each other",
        events: [
          ...[grant(0, "A", { ...delayed, ...reader }), end(10, "A", "lost")],
          grant(11, "B", reader),
        ],
      },
      {
        title: "another hold of the same owner",
        events: [
          ...[grant(0, "A", { ...delayed, owner: "job" }), end(10, "A", "lost")],
          grant(11, "B", { owner: "job" }),
        ],
      },
    ],
    [
      {
        title: "a hold of another owner that comes too soon",
        events: [
          ...[grant(0, "A", { ...delayed, owner: "job" }), end(10, "A", "lost")],
          grant(11, "B", { owner: "task" }),
        ],
      },
      ...(["expired", "lost", "crashed"] as const).map((why) => ({
        title: `a grant a microsecond before the delay is over: ${why}`,
        events: [grant(0, "A", delayed), end(10, "A", why), grant(1_009, "B")],
      })),
      {
        title: "a writer that comes too soon after a reader",
        events: [
          ...[grant(0, "A", { ...delayed, ...reader }), end(10, "A", "lost")],
          grant(11, "B"),
        ],
      },
      {
        title: "what came between does not matter",
        events: [
          ...[grant(0, "A", { lockDelayMs: 5 }), end(10, "A", "lost")],
          ...[grant(5_010, "B", delayed), end(5_020, "B", "lost"), grant(6_019, "C")],
        ],
      },
    ],
  );
});

describe("oracle D2, the minimum hold", () => {
  judgeCases(
    "D2",
    [
      {
        title: "a grant when it is over",
        events: [grant(0, "A", kept), end(10, "A"), grant(1_000, "B")],
      },
      {
        title: "a lock that is held for longer",
        events: [grant(0, "A", kept), end(2_000, "A"), grant(2_000, "B")],
      },
      { title: "none", events: [grant(0, "A"), end(10, "A"), grant(11, "B")] },
      {
        title: "an adoption",
        events: [grant(0, "A", kept), end(10, "A", "given"), ...adoption(10, "A", "B")],
      },
      {
        title: "a grant of which one hears that was robbed before",
        events: [
          ...[send(1, "B", 0, { isPreempting: true }), key(2, 0, "A", "B")],
          ...[grant(3, "B", kept), grant(4, "A")],
        ],
      },
      {
        title: "an adoption from an adopter",
        events: [
          ...[grant(0, "A", kept), end(10, "A", "given"), ...adoption(10, "A", "B")],
          ...[end(20, "B", "given"), ...adoption(20, "B", "C"), end(30, "C"), grant(1_000, "D")],
        ],
      },
    ],
    [
      {
        title: "a grant of a name that somebody took who did not steal",
        events: [
          grant(0, "A", kept),
          ...robbed(9, "neither"),
          end(10, "A", "lost"),
          grant(11, "B"),
        ],
      },
      {
        title: "a grant before the name was stolen",
        events: [grant(0, "A", kept), end(5, "A"), grant(6, "C"), ...robbed(9, "stolen")],
      },
      ...(["released", "lost", "crashed", "given"] as const).map((why) => ({
        title: `a grant a microsecond before: ${why}`,
        events: [grant(0, "A", kept), end(10, "A", why), grant(999, "B")],
      })),
      {
        title: "a grant a microsecond before, of what was adopted and released",
        events: [
          ...[grant(0, "A", kept), end(10, "A", "given"), ...adoption(10, "A", "B")],
          ...[end(20, "B"), grant(999, "C")],
        ],
      },
      {
        title: "a grant a microsecond before, after an adoption that failed",
        events: [
          ...[grant(0, "A", kept), end(10, "A", "given")],
          ...[send(10, "B", 0, { previous: "A" }), grant(999, "C")],
        ],
      },
      {
        title: "one that says that it takes over what was released",
        events: [grant(0, "A", kept), end(10, "A"), ...adoption(10, "A", "B")],
      },
    ],
  );
});
