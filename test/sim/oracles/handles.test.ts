import type { HandleEvent } from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, lost, passed, send } from "../../support/check/events.js";

function handle(
  atUs: number,
  number: number,
  what: "join" | "leave",
  isHeld: boolean,
): HandleEvent {
  const about = { process: "A", name: "a", ownerId: "A", handle: number };
  return { kind: "handle", atUs, ...about, what, isHeld };
}

const joined = [handle(1, 0, "join", true), handle(1, 1, "join", true)] as const;
const first = handle(5, 0, "leave", false);
const last = handle(9, 1, "leave", false);
const asked = call(9, 7, "release");
const freed = [asked, send(9, "A", 0, { op: "release" })] as const;

describe("oracle J1, locks with several handles", () => {
  judgeCases(
    "J1",
    [
      { title: "a release with the last handle", events: [...joined, first, ...freed, last] },
      {
        title: "one that is passed on with the last handle, and released with the next",
        events: [
          ...[...joined, first, asked, passed(9, "A", 6), last, handle(10, 2, "join", true)],
          ...[call(11, 8, "release"), send(11, "A", 0, { op: "release" })],
          handle(11, 2, "leave", false),
        ],
      },
      {
        title: "a handle that is released twice",
        events: [...joined, first, { ...first, atUs: 6 }, ...freed, last],
      },
      {
        title: "a hand-over with the last handle",
        events: [...joined, first, asked, send(9, "B", 0, { previous: "A" }), last],
      },
      {
        title: "a rollback because it is lost",
        events: [
          ...joined,
          send(3, "A", 0, { op: "release" }),
          lost(3, "A", "expired"),
          first,
          last,
        ],
      },
      {
        title: "a release by an operator",
        events: [
          ...[...joined, send(3, "A", 0, { op: "revoke", process: "operator" })],
          ...[send(3, "A", 0, { op: "release", process: "operator" }), lost(4, "A", "revoked")],
          ...[first, last],
        ],
      },
      {
        title: "no release of what is lost",
        events: [...joined, lost(3, "A", "taken"), first, last],
      },
      {
        title: "a release as a whole",
        events: [...joined, call(3, 7, "release"), send(3, "A", 0, { op: "release" }), first, last],
      },
      { title: "another's release", events: [...joined, send(3, "B", 0, { op: "release" })] },
    ],
    [
      {
        title: "a release with the first of two",
        events: [...joined, send(5, "A", 0, { op: "release" }), first, last],
      },
      {
        title: "a hand-over with the first of two",
        events: [...joined, send(5, "B", 0, { previous: "A" }), first, last],
      },
      { title: "no release with the last one", events: [...joined, first, asked, last] },
      {
        title: "a handle that is held after its own release",
        events: [...joined, { ...first, isHeld: true }, ...freed, last],
      },
    ],
  );
});
