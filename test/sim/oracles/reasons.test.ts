import type {
  GrantEvent,
  HistoryEvent,
  SendEvent,
  VoteEvent,
} from "../../../sim/oracles/history.js";
import { judgeCases } from "../../support/check/cases.js";
import { call, end, grant, lost, send, settle, vote } from "../../support/check/events.js";

type Answer = VoteEvent["vote"];

/** One round of A (or of another owner in the same process), and what the nodes answered. */
function round(
  answers: readonly Answer[],
  more: Partial<Pick<SendEvent, "op" | "round" | "via">> = {},
  ownerId = "A",
): HistoryEvent[] {
  const at = { process: "A", ...more };
  return [
    ...[0, 1, 2].map((node) => send(2, ownerId, node, at)),
    ...answers.map((answer, node) => vote(3, ownerId, node, { ...at, vote: answer })),
  ];
}

const asked = call(1, 1, "acquire");
const alsoAsked = call(1, 2, "acquire");
const askedBehind = call(1, 2, "acquire", { isFair: true });
/** An attempt that refusals and faults have lost, the last of them at 5 µs, and another that begins then. */
const replacedAt = (atUs: number): HistoryEvent[] => [
  ...[asked, askedBehind, ...round(["refused", "fault"])],
  ...[
    send(4, "A", 0, { process: "A", op: "release" }),
    vote(5, "A", 2, { process: "A", vote: "granted" }),
  ],
  ...[send(atUs, "A2", 0, { process: "A", round: 2 }), settle(9_000, 2, "refused")],
];
/** Two nodes refuse: one lets the process know that its attempt is lost, the other answers then. Its deadline is at 50 ms. */
const answeredAt = (atUs: number): HistoryEvent[] => [
  ...[1, 2].map((number) => call(1, number, "acquire", { withinMs: 100, waitMs: 0 })),
  ...[0, 1].map((node) => send(2, "A", node, { process: "A" })),
  vote(3, "A", 0, { process: "A", vote: "refused", holder: "b" }),
  send(4, "A", 1, { process: "A", op: "release" }),
  vote(atUs, "A", 1, { process: "A", vote: "refused", holder: "b" }),
  settle(70_000, 2, "unreachable"),
];
/** Another lock, of the same process. */
const grantedAt = (atUs: number, more: Partial<GrantEvent> = {}): GrantEvent =>
  grant(atUs, "B", { process: "A", ...more });
const [granted, refused, fault] = ["granted", "refused", "fault"] as const;
const acquire = (answers: readonly Answer[], result: string): HistoryEvent[] => [
  asked,
  ...round(answers),
  settle(4, 1, result),
];
/** Who refused. */
const by = (holder: string) => ({ holder });
type Told = Answer | ReturnType<typeof by>;
const answerOf = (told: Told): Partial<VoteEvent> =>
  typeof told === "string" ? { vote: told } : { vote: refused, holder: told.holder };
const acquireOf = (answers: readonly Told[], result: string): HistoryEvent[] => [
  ...[asked, ...round([])],
  ...answers.map((answer, node) => vote(3, "A", node, answerOf(answer))),
  settle(4, 1, result),
];
/** Another round of that attempt. */
const again = (atUs: number, answers: readonly Told[]): HistoryEvent[] => [
  ...answers.map((_, node) => send(atUs, "A", node, { round: 2 })),
  ...answers.map((answer, node) => vote(atUs + 1, "A", node, { round: 2, ...answerOf(answer) })),
];
/** An attempt of a waiter whose acquire is deferred, and an acquire of the same process that comes then. */
const waiters = (atUs: number, round: number, answers: readonly Told[]): HistoryEvent[] => [
  ...[0, 1, 2].map((node) => send(atUs, "A", node, { process: "A", round, deferred: "A" })),
  ...answers.map((answer, node) =>
    vote(atUs + 1, "A", node, { process: "A", round, ...answerOf(answer) }),
  ),
];
const refusedByAll = [
  ...[asked, ...waiters(2, 1, [by("b"), by("b"), by("b")])],
  call(4, 2, "acquire", { waitMs: 10 }),
];
const toldBy = (atUs: number, node: number): VoteEvent =>
  vote(atUs, "A", node, { process: "A", round: 9, told: { ttlMs: 1_000, askedUs: 0, sentMs: 0 } });
const dataOn = (...nodes: number[]): HistoryEvent[] => [
  ...[0, 1, 2].map((node) => send(2, "A", node)),
  ...nodes.map((node) => vote(3, "A", node, { vote: refused, isForeign: true })),
];
const extend = (answers: readonly Answer[], roundNumber = 2): HistoryEvent[] =>
  round(answers, { op: "extend", round: roundNumber });

/** Behind another: of two nodes one refused before its attempt was lost, and the other when it was. */
const lostBehind = (lostAtUs: number): HistoryEvent[] => [
  ...[asked, call(1, 2, "acquire", { name: "a, b" })],
  ...[0, 1].map((node) => send(2, "A", node, { process: "A", name: "a, b" })),
  vote(3, "A", 0, { process: "A", name: "a, b", vote: refused }),
  send(lostAtUs, "A", 1, { process: "A", name: "a, b", op: "release" }),
  vote(lostAtUs + 1, "A", 1, { process: "A", name: "a, b", vote: refused }),
  settle(lostAtUs + 2, 2, "unreachable"),
];

describe("oracle E1, true reasons", () => {
  judgeCases(
    "E1",
    [
      {
        title: "a set that stands in line, and whose time was over when the second of two refused",
        events: lostBehind(50_002),
        settings: { nodeCount: 2 },
      },
      { title: "a quorum of refusals", events: acquire([refused, refused], "refused") },
      {
        title:
          "a round that nodes refused when its caller had given them up, by redlock's interface",
        events: [
          ...[call(1, 1, "acquire", { via: "redlock" }), ...round([refused], { via: "redlock" })],
          ...[
            send(4, "A", 0, { op: "release", via: "redlock" }),
            vote(5, "A", 1, { vote: refused }),
          ],
          settle(6, 1, "unreachable"),
        ],
      },
      {
        title: "a quorum of refusals by one other",
        events: acquireOf([by("b"), by("b"), by("c")], "refused"),
      },
      {
        title: "nodes that several others have",
        events: acquireOf([by("b"), by("c"), by("d")], "split"),
      },
      { title: "a node each", events: acquireOf([by("b"), by("c"), granted], "split") },
      {
        title: "a node each of two",
        events: acquireOf([by("b"), granted], "split"),
        settings: { nodeCount: 2 },
      },
      {
        title: "nodes of several, and one that might make a quorum of one of them",
        events: acquireOf([by("b"), by("c")], "unreachable"),
      },
      {
        title: "an attempt under the ownerId of the one before, which all nodes had refused",
        events: [
          ...[...refusedByAll, ...waiters(5, 2, [by("b"), by("b")])],
          settle(7, 2, "refused"),
        ],
      },
      {
        title: "an attempt that a node begins by a message, and others refuse",
        events: [
          ...[...refusedByAll, toldBy(5, 0)],
          ...[1, 2].map((node) => send(6, "A", node, { process: "A", round: 2, deferred: "A" })),
          ...[1, 2].map((node) =>
            vote(7, "A", node, { process: "A", round: 2, ...answerOf(by(`${node}`)) }),
          ),
          settle(8, 2, "split"),
        ],
      },
      {
        title: "a node that tells of a grant when its time is over, and so begins nothing",
        events: [
          ...acquireOf([by("b"), by("c"), granted], "split").slice(0, -1),
          { ...toldBy(5, 0), ownerId: "next" },
          settle(6, 1, "split"),
        ],
      },
      {
        title: "one whose time is over of grants that came too late for another in line with it",
        events: [
          ...[call(1, 1, "acquire", { waitMs: 10 }), call(1, 2, "acquire")],
          ...[toldBy(5, 0), toldBy(5, 1)],
          ...[settle(6, 1, "exhausted"), settle(6, 2, "exhausted")],
        ],
      },
      {
        title: "a node that tells of a grant after it has refused",
        events: [
          ...[asked, ...waiters(2, 1, [by("b")]), toldBy(4, 0)],
          ...[1, 2].map((node) => vote(5, "A", node, { process: "A", ...answerOf(by(`${node}`)) })),
          settle(6, 1, "split"),
        ],
      },
      {
        title: "nodes that are asked again, and refuse another way",
        events: [
          ...acquireOf([by("b"), by("c"), granted], "split").slice(0, -1),
          ...again(4, [by("b"), by("b")]),
          settle(6, 1, "refused"),
        ],
      },
      {
        title: "a split after somebody had the name",
        events: [
          ...acquireOf([by("b"), by("b"), granted], "split").slice(0, -1),
          ...round([], { round: 2 }, "A2"),
          ...[by("b"), by("c"), granted].map((answer, node) =>
            vote(5, "A2", node, { process: "A", round: 2, ...answerOf(answer) }),
          ),
          settle(6, 1, "refused"),
        ],
      },
      { title: "a quorum of faults", events: acquire([refused, fault, fault], "unreachable") },
      { title: "silence", events: acquire([], "unreachable") },
      { title: "a quorum that came late", events: acquire([granted, granted], "exhausted") },
      {
        title: "a call that was not admitted before its time was over",
        events: [asked, settle(4, 1, "queued")],
      },
      {
        title: "one that was not, beside one that was",
        events: [asked, alsoAsked, ...round([refused, refused]), settle(4, 2, "queued")],
      },
      {
        title: "data on so many nodes that no quorum is left",
        events: [asked, ...dataOn(0, 1), settle(4, 1, "foreign")],
      },
      { title: "an abort", events: acquire([refused, refused], "aborted") },
      {
        title: "the last of several attempts",
        events: [
          ...[asked, ...round([fault, fault])],
          ...round([refused, refused], { round: 2 }, "A2"),
          settle(5, 1, "refused"),
        ],
      },
      {
        title: "either of two calls that are made at once",
        events: [
          ...[asked, alsoAsked, ...round([fault, fault])],
          ...round([refused, refused], { round: 2 }, "A2"),
          ...[settle(5, 1, "refused"), settle(5, 2, "unreachable")],
        ],
      },
      {
        title: "one who stands behind another and never asked",
        events: [asked, askedBehind, settle(2, 2, "refused")],
      },
      {
        title: "one who stands behind a set that lacks its name, and never asked",
        events: [
          call(1, 1, "acquire", { name: "_, a" }),
          ...[askedBehind, settle(2, 2, "refused")],
        ],
      },
      {
        title: "one that another came before while it asked how many permits there are",
        events: [
          call(1, 1, "acquire", { isFair: true, asksSize: true }),
          ...[alsoAsked, settle(2, 1, "refused")],
        ],
      },
      {
        title: "one who stands behind another that holds and releases it, and never asked",
        events: [
          ...[asked, askedBehind, ...round([granted, granted]), grant(4, "A"), end(5, "A")],
          send(5, "A", 0, { process: "A", op: "release" }),
          ...[settle(4, 1, "granted"), settle(6, 2, "refused")],
        ],
      },
      {
        title: "one who stands behind another whose attempt is lost, for a reason not yet known",
        events: [
          ...[asked, askedBehind, ...round([refused, fault])],
          ...[send(4, "A", 0, { process: "A", op: "release" }), settle(5, 2, "refused")],
        ],
      },
      {
        title:
          "one who stands behind another that asked anew before it knew why its attempt was lost",
        events: replacedAt(5_004),
      },
      {
        title:
          "one who stands behind another whose attempt is lost by faults, while a node is silent",
        events: [
          ...[asked, askedBehind, ...round([granted, fault])],
          ...[send(4, "A", 0, { process: "A", op: "release" }), settle(5, 2, "refused")],
        ],
      },
      {
        title: "one who stands behind another whose attempt is lost by faults, in the same instant",
        events: [
          ...[asked, askedBehind, ...round([granted, fault])],
          ...[send(5, "A", 0, { process: "A", op: "release" }), settle(5, 2, "refused")],
        ],
      },
      {
        title: "one who stands behind another that gave way to a preemptor of its process",
        events: [
          ...[asked, askedBehind, ...round([granted, fault])],
          send(4, "A", 0, { process: "A", op: "release" }),
          ...[send(4, "T", 0, { process: "A", isPreempting: true }), settle(5, 2, "refused")],
        ],
      },
      {
        title: "one who stands behind another, beside a preemptor of its process that fails",
        events: [
          ...[asked, askedBehind, send(3, "T", 0, { process: "A", isPreempting: true })],
          ...[0, 1].map((node) => vote(4, "T", node, { process: "A", vote: "fault" })),
          send(5, "T", 0, { process: "A", op: "release" }),
          settle(6, 2, "refused"),
        ],
      },
      {
        title: "a quorum that granted and does not seal",
        events: [
          ...[asked, ...round([granted, granted, refused])],
          vote(4, "A", 0, { op: "seal", round: 2, vote: "refused" }),
          settle(5, 1, "refused"),
        ],
      },
      {
        title:
          "a quorum that granted, of which another got all but one before the token, beside a silent one",
        events: [
          ...[asked, ...[0, 1, 2, 3].map((node) => send(2, "A", node, { process: "A" }))],
          ...[0, 1, 2].map((node) => vote(3, "A", node, { process: "A" })),
          ...[0, 1].map((node) => {
            return vote(4, "A", node, { op: "seal", round: 2, vote: "refused", holder: "b" });
          }),
          settle(5, 1, "unreachable"),
        ],
        settings: { nodeCount: 4 },
      },
      {
        title: "a node that could have said who has the name, and answered after its deadline",
        events: answeredAt(60_000),
        settings: { nodeCount: 2 },
      },
      {
        title: "a late grant with a fence above the token",
        events: [
          ...[asked, ...round([granted, granted])],
          vote(4, "A", 0, { op: "seal", round: 2, vote: "refused" }),
          vote(4, "A", 2, { fence: 7 }),
          settle(5, 1, "exhausted"),
        ],
      },
      {
        title: "one that gave way to another of its process that steals the name",
        events: [
          ...[asked, call(2, 2, "acquire", { isStealing: true }), ...round([granted, fault])],
          send(4, "A", 0, { process: "A", op: "release" }),
          ...[send(4, "T", 0, { process: "A", isPreempting: true }), settle(4, 1, "refused")],
        ],
      },
      {
        title: "one who stands behind another that gave up before it heard why its attempt is lost",
        events: [
          ...[
            asked,
            askedBehind,
            ...round([fault]),
            send(3, "A", 0, { process: "A", op: "release" }),
          ],
          ...[settle(4, 1, "aborted"), vote(5, "A", 1, { process: "A", vote: "fault" })],
          settle(6, 2, "refused"),
        ],
      },
      {
        title: "a lock that was ended by force, as one node says to its heal",
        events: [
          ...extend([granted, granted]),
          vote(4, "A", 2, { round: 9, op: "heal", vote: "refused", isEnded: true }),
          lost(4, "A", "taken"),
        ],
      },
      {
        title: "a lock that is taken",
        events: [...extend([refused, refused]), lost(4, "A", "taken")],
      },
      {
        title: "a lock whose process was granted the name just now",
        events: [grant(1, "A"), grantedAt(4), lost(4, "A", "taken")],
      },
      {
        title: "a reader whose process was granted the name just now",
        events: [...[grant(1, "A", { mode: "shared" }), grantedAt(4), lost(4, "A", "taken")]],
      },
      {
        title: "a lock that ran out",
        events: [...extend([fault, fault]), lost(4, "A", "expired")],
      },
    ],
    [
      {
        title: "one that another came after, once it had asked how many permits there are",
        events: [
          ...[call(1, 1, "acquire", { isFair: true, asksSize: true }), ...round([granted, fault])],
          ...[call(4, 2, "acquire"), settle(5, 1, "refused")],
        ],
      },
      {
        title: "one beside a set of other names",
        events: [call(1, 1, "acquire", { name: "b, c" }), askedBehind, settle(2, 2, "refused")],
      },
      {
        title: "one that another came after",
        events: [call(1, 1, "acquire", { isFair: true }), alsoAsked, settle(2, 1, "refused")],
      },
      {
        title: "what the attempt before was told, under the same ownerId",
        events: [...refusedByAll, ...waiters(5, 2, []), settle(7, 2, "refused")],
      },
      {
        title: "nodes that had refused the attempt before the one that a message begins",
        events: [...refusedByAll, toldBy(5, 0), settle(8, 2, "refused")],
      },
      {
        title: "an attempt before the one that a message begins in time",
        events: [
          call(1, 3, "acquire", { waitMs: 10 }),
          ...acquireOf([by("b"), by("c"), granted], "split").slice(1, -1),
          { ...toldBy(5, 0), ownerId: "next" },
          settle(6, 3, "split"),
        ],
      },
      {
        title: "several others, taken for one",
        events: acquireOf([by("b"), by("c"), by("d")], "refused"),
      },
      {
        title: "one other, taken for several",
        events: acquireOf([by("b"), by("b"), granted], "split"),
      },
      {
        title: "a split, taken for silence",
        events: acquireOf([by("b"), granted, by("c")], "unreachable"),
      },
      { title: "silence, taken for a split", events: acquireOf([by("b"), fault, fault], "split") },
      {
        title: "a node that refused, and granted when it was asked again",
        events: [
          ...acquireOf([by("b"), by("c"), granted], "split").slice(0, -1),
          ...again(4, [by("c"), granted]),
          settle(6, 1, "refused"),
        ],
      },
      {
        title: "data, where locks stood",
        events: acquire([refused, refused], "foreign"),
      },
      { title: "data on one node", events: [asked, ...dataOn(0), settle(4, 1, "foreign")] },
      { title: "refusals called silence", events: acquire([refused, refused], "unreachable") },
      {
        title:
          "a set that stands in line, and whose attempt was lost early, before the second of two refused",
        events: lostBehind(40_000),
        settings: { nodeCount: 2 },
      },
      { title: "silence called refusals", events: acquire([refused, fault, fault], "refused") },
      {
        title: "no quorum called too late",
        events: acquire([granted, refused, fault], "exhausted"),
      },
      {
        title: "the reason of an attempt before the last",
        events: [
          ...[asked, ...round([fault, fault])],
          ...round([refused, refused], { round: 2 }, "A2"),
          settle(5, 1, "unreachable"),
        ],
      },
      {
        title: "the reason of a call that was made before",
        events: [...acquire([refused, refused], "refused"), alsoAsked, settle(5, 2, "refused")],
      },
      {
        title: "silence, where a node said in time who has the name",
        events: answeredAt(40_000),
        settings: { nodeCount: 2 },
      },
      {
        title:
          "one who stands behind another that asked anew after it knew why its attempt was lost",
        events: replacedAt(5_005),
      },
      {
        title: "one who stands behind another whose attempt is lost by faults",
        events: [
          ...[asked, askedBehind, ...round([granted, fault, fault])],
          ...[send(4, "A", 0, { process: "A", op: "release" }), settle(5, 2, "refused")],
        ],
      },
      {
        title:
          "one who stands behind another that gave up when it had heard why its attempt is lost",
        events: [
          ...[asked, askedBehind, ...round([fault, fault])],
          ...[send(3, "A", 0, { process: "A", op: "release" }), settle(4, 1, "aborted")],
          settle(6, 2, "refused"),
        ],
      },
      {
        title: "one whose attempt failed before another of its process stole the name",
        events: [
          ...[
            asked,
            call(2, 2, "acquire", { isStealing: true }),
            ...round([granted, fault, fault]),
          ],
          send(3, "A", 0, { process: "A", op: "release" }),
          ...[send(4, "T", 0, { process: "A", isPreempting: true }), settle(4, 1, "refused")],
        ],
      },
      {
        title:
          "one whose attempt was rolled back while another of its process waits to steal the name",
        events: [
          ...[asked, call(2, 2, "acquire", { isStealing: true }), ...round([granted, fault])],
          ...[send(4, "A", 0, { process: "A", op: "release" }), settle(4, 1, "refused")],
        ],
      },
      {
        title: "one whose attempt was rolled back, though nobody steals the name",
        events: [
          ...[asked, ...round([granted, fault]), send(4, "A", 0, { process: "A", op: "release" })],
          settle(4, 1, "refused"),
        ],
      },
      {
        title: "one whose token came too late",
        events: [
          ...[asked, ...round([granted, granted]), vote(4, "A", 2, { fence: 7 })],
          vote(4, "A", 0, { op: "seal", round: 2, vote: "refused" }),
          settle(5, 1, "refused"),
        ],
      },
      {
        title: "one who never asked and has nobody before it",
        events: [askedBehind, settle(2, 2, "refused")],
      },
      {
        title: "refusals of what was asked by another interface",
        events: [
          call(1, 1, "acquire", { via: "redlock" }),
          ...[...round([fault, fault], { via: "redlock" }), ...round([refused, refused], {}, "B")],
          settle(4, 1, "refused"),
        ],
      },
      {
        title: "one who stands behind another whose attempt met silence",
        events: [
          ...[asked, askedBehind, ...round([fault, fault])],
          ...[send(4, "A", 0, { process: "A", op: "release" }), settle(5, 2, "refused")],
        ],
      },
      {
        title: "a second vote of one node",
        events: [
          ...[asked, ...round([refused])],
          ...[vote(4, "A", 0, { vote: "refused" }), settle(5, 1, "refused")],
        ],
      },
      ...[
        { to: "another process", events: [grant(1, "A"), grantedAt(4, { process: "B" })] },
        { to: "its process before", events: [grant(1, "A"), grantedAt(3)] },
        { to: "its process by another name", events: [grant(1, "A"), grantedAt(4, { name: "b" })] },
        {
          to: "a second reader of its process",
          events: [grant(1, "A", { mode: "shared" }), grantedAt(4, { mode: "shared" })],
        },
      ].map(({ to, events }) => ({
        title: `a lock called taken where the name was granted to ${to}`,
        events: [...events, lost(4, "A", "taken")],
      })),
      {
        title: "faults called a lock that is taken",
        events: [...extend([refused, fault, fault]), lost(4, "A", "taken")],
      },
      {
        title: "refusals of two rounds called a lock that is taken",
        events: [...extend([refused]), ...extend([granted, refused], 3), lost(4, "A", "taken")],
      },
    ],
  );
});
