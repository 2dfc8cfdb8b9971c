import { judgeCases } from "../../support/check/cases.js";
import { call, end, grant, key, passed, send, settle, vote } from "../../support/check/events.js";

const MS = 1_000;
const taken = (node: number, deadUs: number) => key(1, node, undefined, "A", { deadUs });
const release = call(1, 1, "release");
const handed = (node: number) => key(2, node, "A", "B", { op: "acquire", by: "B" });
const undone = (node: number) => key(1, node, "A", undefined, { op: "acquire", by: "A" });
const deleted = (node: number, name = "a") =>
  key(2, node, "A", undefined, { op: "release", by: "A", name });

/** A node that keeps a key for its minimum hold, or whose key has expired before that. */
const closed = (node: number) => vote(2, "A", node, { op: "release", vote: "granted" });
const expired = (node: number) => key(2, node, "A", undefined, { op: "expire", by: "none" });

describe("oracle R1, releases", () => {
  judgeCases(
    "R1",
    [
      {
        title: "a quorum that deleted",
        events: [release, deleted(0), deleted(1), settle(3, 1, "released")],
      },
      {
        title: "a lock that was passed on, and then deleted",
        events: [
          ...[call(1, 1, "release", { token: 5 }), passed(1, "A", 6), settle(2, 1, "released")],
          ...[
            call(3, 2, "release", { token: 6 }),
            deleted(0),
            deleted(1),
            settle(4, 2, "released"),
          ],
        ],
      },
      {
        title: "a quorum that deleted both names",
        events: [
          call(1, 1, "release", { name: "a, b" }),
          ...[deleted(0), deleted(1), deleted(0, "b"), deleted(2, "b")],
          settle(3, 1, "released"),
        ],
      },
      {
        title: "a quorum that handed over, or deleted",
        events: [release, handed(0), deleted(1), settle(3, 1, "released")],
      },
      {
        title: "a quorum whose keys end within the minimum hold anyway",
        events: [
          ...[grant(0, "A", { minHoldMs: 500 }), ...[0, 1, 2].map((node) => taken(node, 400 * MS))],
          ...[release, deleted(2), settle(3, 1, "released")],
        ],
      },
      {
        title: "keys that end with the minimum hold, as it is rounded",
        events: [
          ...[grant(0, "A", { minHoldMs: 500 }), ...[0, 1].map((node) => taken(node, 513 * MS))],
          ...[release, settle(3, 1, "released")],
        ],
      },
      {
        title: "keys that ended before all had answered, as they do with a minimum hold",
        events: [
          ...[grant(0, "A", { minHoldMs: 500 }), taken(0, 400 * MS), taken(1, 2)],
          ...[release, closed(1), expired(1), settle(3, 1, "released")],
        ],
      },
      {
        title: "deletions of a lock that had run out before",
        events: [release, deleted(0), deleted(1), settle(3, 1, "expired")],
      },
      {
        title: "a lock that an operator ended",
        events: [
          ...[0, 1].flatMap((node) => [send(1, "A", node, { op: "revoke" }), deleted(node)]),
          ...[end(2, "A"), release, settle(3, 1, "expired")],
        ],
      },
      {
        title: "a lock that a preemptor took from its nodes",
        events: [
          ...[send(1, "B", 0, { isPreempting: true }), end(2, "A"), handed(0), handed(1)],
          ...[release, settle(3, 1, "expired")],
        ],
      },
      {
        title:
          "an expired lock that a minority deleted, whose acquire had failed halfway on another node",
        events: [undone(0), release, end(1, "A"), deleted(1), settle(3, 1, "expired")],
      },
      { title: "an expired lock that nobody deleted", events: [release, settle(3, 1, "expired")] },
      {
        title: "the same answer twice",
        events: [
          ...[release, deleted(0), deleted(1), settle(3, 1, "released")],
          ...[call(4, 2, "release"), settle(5, 2, "released")],
        ],
      },
      {
        title:
          "the same answer again, when the keys that were kept for the minimum hold have expired",
        events: [
          ...[grant(0, "A", { minHoldMs: 500 }), ...[0, 1].map((node) => taken(node, 400 * MS))],
          ...[release, settle(3, 1, "released")],
          ...[0, 1].map((node) => key(400 * MS, node, "A", undefined, { op: "expire" })),
          ...[call(500 * MS, 2, "release"), settle(501 * MS, 2, "released")],
        ],
      },
    ],
    [
      {
        title: "a lock that was passed on, and that nobody deleted after that",
        events: [
          ...[call(1, 1, "release", { token: 5 }), passed(1, "A", 6), settle(2, 1, "released")],
          ...[call(3, 2, "release", { token: 6 }), settle(4, 2, "released")],
        ],
      },
      {
        title: "a release that a minority deleted",
        events: [release, deleted(0), settle(3, 1, "released")],
      },
      {
        title:
          "a release that shortened the key on one node, whose other keys outlive the minimum hold",
        events: [
          ...[grant(0, "A", { minHoldMs: 500 }), taken(0, 400 * MS), taken(1, 600 * MS)],
          ...[release, key(2, 0, "A", "A", { op: "release", by: "A", deadUs: 300 * MS })],
          settle(3, 1, "released"),
        ],
      },
      {
        title: "a release without a minimum hold that left a quorum of keys which end soon",
        events: [
          ...[grant(0, "A"), taken(0, 4 * MS), taken(1, 4 * MS)],
          ...[release, settle(3, 1, "released")],
        ],
      },
      {
        title: "keys that ended without a release, with a minimum hold",
        events: [
          ...[grant(0, "A", { minHoldMs: 500 }), taken(0, 400 * MS), taken(1, 2)],
          ...[release, closed(0), expired(1), settle(3, 1, "released")],
        ],
      },
      {
        title: "a release of two names of which one is left",
        events: [
          call(1, 1, "release", { name: "a, b" }),
          ...[deleted(0), deleted(1), deleted(0, "b"), settle(3, 1, "released")],
        ],
      },
      {
        title: "a release that one node deleted twice, for its key had come back",
        events: [release, deleted(0), deleted(0), settle(3, 1, "released")],
      },
      {
        title: "a release of what a preemptor took",
        events: [
          ...[send(1, "B", 0, { isPreempting: true }), handed(0), handed(1)],
          ...[release, settle(3, 1, "released")],
        ],
      },
      {
        title: "a release that a minority handed over",
        events: [release, handed(0), settle(3, 1, "released")],
      },
      {
        title: "an acquire that is repeated, taken for a hand-over",
        events: [
          release,
          key(2, 0, "A", "A", { by: "A" }),
          key(2, 1, "A", "A", { by: "A" }),
          settle(3, 1, "released"),
        ],
      },
      {
        title: "an acquire that failed halfway, taken for a release",
        events: [undone(0), release, deleted(1), settle(3, 1, "released")],
      },
      {
        title: "a quorum of expiries called a release",
        events: [
          release,
          key(2, 0, "A", undefined),
          key(2, 1, "A", undefined),
          settle(3, 1, "released"),
        ],
      },
      {
        title: "a quorum of deletions of a lock that was held, called an expiry",
        events: [release, end(1, "A"), deleted(0), deleted(1), settle(3, 1, "expired")],
      },
      {
        title: "two answers",
        events: [
          ...[release, settle(3, 1, "expired")],
          ...[call(4, 2, "release"), settle(5, 2, "partial")],
        ],
      },
    ],
  );
});
