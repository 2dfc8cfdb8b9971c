import { expect } from "chai";
import * as fc from "fast-check";
import {
  failureOf,
  unaskedFailure,
  type AttemptFailure,
} from "../../src/protocol/attempt-failure.js";
import { backoffMs } from "../../src/protocol/backoff.js";
import { MAX_REFRESH_MS } from "../../src/protocol/place.js";
import {
  nextMove,
  soonMs,
  type Happened,
  type Known,
  type NextMove,
} from "../../src/protocol/next-move.js";
import { unit } from "../support/uniform.js";
import { fault, granted, held } from "../support/votes.js";

const NOW_MS = 5_000;
const DEADLINE_MS = NOW_MS + 1_000;
const WAIT = { waitMs: 2_000, minDelayMs: 10, maxDelayMs: 250, fair: false };

const REFUSED: AttemptFailure = {
  ...failureOf("refused", [held(), held(), held()]),
  quorumFreeInMs: 400,
};
const SPLIT = { ...failureOf("split", [held(), granted(7), held()]), quorumFreeInMs: 400 };
const SILENT = failureOf("unreachable", [held(), fault("timeout"), fault("timeout")]);
const EXHAUSTED = failureOf("exhausted", [granted(7), granted(7), held()]);

/** First in line, notified by the nodes, asleep until its deadline, after one attempt. */
const FIRST: Known = {
  ...{ wait: WAIT, deadlineMs: DEADLINE_MS, nodeCount: 3, attemptCount: 1, isUnderWay: false },
  ...{ isOwned: false, isFirst: true, isLetIn: false, isHeard: true, isRefreshed: true },
  ...{ isInPlace: false, isItsTurn: false, isTurnSeen: false, mayAskInTurn: true },
  ...{ wakeAtMs: DEADLINE_MS, askAtMs: DEADLINE_MS, knownFailure: undefined, random: () => 0.5 },
};
const BEHIND: Known = { ...FIRST, isFirst: false };
const OWNED: Known = { ...BEHIND, isOwned: true };

/** Half way: of the jitter, of the pause after the first attempt, and of the longest poll in the nodes' queues. */
const SOON_MS = WAIT.minDelayMs / 2;
const PAUSE_MS = WAIT.minDelayMs * 1.5;
const POLL_MS = Math.min(WAIT.maxDelayMs, MAX_REFRESH_MS) * 0.75;

const ask = (as: "newcomer" | "joiner" | "waiter", isCalled?: boolean): NextMove =>
  isCalled === undefined ? { move: "ask", as } : { move: "ask", as, isCalled };
const askIn = (ms: number): NextMove => ({ move: "askAt", atMs: NOW_MS + ms });
const waitFor = (ms: number): NextMove => ({ move: "wait", untilMs: NOW_MS + ms });
const giveUp = (failure: AttemptFailure): NextMove => ({ move: "giveUp", failure });
const GO_ON: NextMove = { move: "goOn" };
const AT_DEADLINE: NextMove = { move: "askAt", atMs: DEADLINE_MS };

type Row = readonly [
  says: string,
  happened: Happened,
  known: Known,
  move: NextMove,
  nowMs?: number,
];

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const [says, happened, known, move, nowMs = NOW_MS] of rows) {
      it(says, () => {
        expect(nextMove(happened, known, nowMs)).to.deep.equal(move);
      });
    }
  });
}

const entered = (failure?: AttemptFailure): Happened => ({ what: "entered", failure });
const failed = (failure: AttemptFailure): Happened => ({ what: "failed", failure });
const joinFailed: Happened = { what: "joinFailed", failure: REFUSED };
const due: Happened = { what: "due" };
const turn = (isQuorum: boolean): Happened => ({ what: "turn", isQuorum });
const looked = (quorumFreeInMs?: number): Happened => ({ what: "looked", quorumFreeInMs });

table("nextMove, on entering the wait queue", [
  ["asks at once where it is first and has not asked", entered(), FIRST, ask("waiter")],
  [
    "asks again at once where it was refused: that puts it into the nodes' queues",
    entered(REFUSED),
    FIRST,
    askIn(0),
  ],
  ["pauses a little where it has split the votes", entered(SPLIT), FIRST, askIn(SOON_MS)],
  [
    "backs off where nobody notifies it",
    entered(SILENT),
    { ...FIRST, isHeard: false },
    askIn(PAUSE_MS),
  ],
  [
    "pauses as long as the contest says where nobody notifies it",
    entered({ ...SPLIT, askAgainInMs: 3 }),
    { ...FIRST, isHeard: false },
    askIn(3),
  ],
  ["sleeps behind others, whatever it was told", entered(REFUSED), BEHIND, AT_DEADLINE],
  ["looks at once for its owner's lock behind others", entered(), OWNED, ask("joiner")],
  ["looks again later for its owner's lock", entered(REFUSED), OWNED, askIn(POLL_MS)],
]);

table("nextMove, after an attempt of a waiter", [
  [
    "waits in the nodes' queues until a quorum can be free",
    failed(REFUSED),
    FIRST,
    waitFor(400 + SOON_MS),
  ],
  ["does so after a split, too", failed(SPLIT), FIRST, waitFor(400 + SOON_MS)],
  [
    "polls where places are not refreshed",
    failed(REFUSED),
    { ...FIRST, isRefreshed: false },
    askIn(POLL_MS),
  ],
  [
    "polls where nodes are silent: it may be in too few queues",
    failed(SILENT),
    FIRST,
    askIn(POLL_MS),
  ],
  ["polls where the grants came too late", failed(EXHAUSTED), FIRST, askIn(SOON_MS + 1)],
  [
    "backs off where nobody notifies it",
    failed(SILENT),
    { ...FIRST, isHeard: false },
    askIn(PAUSE_MS),
  ],
  [
    "asks again where a quorum has notified it meanwhile",
    failed(REFUSED),
    { ...FIRST, isItsTurn: true },
    { move: "askAt", atMs: NOW_MS, isCalled: true },
  ],
  [
    "does not at any rate, as notifications can be forged",
    failed(REFUSED),
    { ...FIRST, isItsTurn: true, mayAskInTurn: false },
    waitFor(400 + SOON_MS),
  ],
  ["sleeps once others have passed it", failed(EXHAUSTED), BEHIND, AT_DEADLINE],
  ["keeps looking for its owner's lock then", failed(EXHAUSTED), OWNED, askIn(SOON_MS + 1)],
]);

table("nextMove, where its owner does not hold the lock", [
  ["asks for itself once it is first", joinFailed, { ...OWNED, isFirst: true }, askIn(0)],
  ["looks again later behind others", joinFailed, OWNED, askIn(POLL_MS)],
  ["gives up after the deadline", joinFailed, OWNED, giveUp(REFUSED), DEADLINE_MS],
  [
    "gives up after the deadline even where it is first: it was told what it would be told",
    joinFailed,
    { ...OWNED, isFirst: true },
    giveUp(REFUSED),
    DEADLINE_MS,
  ],
]);

const inPlace = { ...FIRST, isInPlace: true };
table("nextMove, when it is woken", [
  ["asks where it is first", due, FIRST, ask("waiter")],
  ["asks where a reader lets it in", due, { ...BEHIND, isLetIn: true }, ask("waiter")],
  ["looks for its owner's lock", due, OWNED, ask("joiner")],
  ["sleeps on where refreshes say that the name is held", due, inPlace, AT_DEADLINE],
  ["asks for the last time at its deadline, even so", due, inPlace, ask("waiter"), DEADLINE_MS],
  ["asks where it meant to ask now", due, { ...inPlace, askAtMs: NOW_MS }, ask("waiter")],
  [
    "gives up at its deadline where the answer is known",
    due,
    { ...BEHIND, knownFailure: REFUSED },
    giveUp(REFUSED),
    DEADLINE_MS,
  ],
  ["asks at its deadline where no answer is known", due, BEHIND, ask("newcomer"), DEADLINE_MS],
  [
    "asks nobody out of turn where it is fair",
    due,
    { ...BEHIND, wait: { ...WAIT, fair: true } },
    giveUp(unaskedFailure("refused", 3)),
    DEADLINE_MS,
  ],
  [
    "gives an owner the answer that is known at its deadline",
    due,
    { ...OWNED, knownFailure: SILENT },
    giveUp(SILENT),
    DEADLINE_MS,
  ],
]);

const first = (isHeldHere: boolean): Happened => ({ what: "first", isHeldHere });
const UNDER_WAY = { ...FIRST, isUnderWay: true };
table("nextMove, on what it hears", [
  ["asks soon once all ahead gave up", first(false), FIRST, askIn(0)],
  [
    "polls once the one ahead got the lock: its release notifies us",
    first(true),
    FIRST,
    askIn(POLL_MS),
  ],
  [
    "backs off then where nobody notifies it",
    first(true),
    { ...FIRST, isHeard: false },
    askIn(PAUSE_MS),
  ],
  ["asks with the reader that was granted", { what: "reader" }, BEHIND, askIn(0)],
  ["asks where a quorum notifies it", turn(true), FIRST, ask("waiter", true)],
  ["asks after a pause where only some nodes do", turn(false), FIRST, askIn(PAUSE_MS)],
  [
    "asks after a pause where it was notified too often",
    turn(true),
    { ...FIRST, mayAskInTurn: false },
    askIn(PAUSE_MS),
  ],
  ["shortens its sleep once", turn(false), { ...FIRST, isTurnSeen: true }, GO_ON],
  [
    "sleeps no longer for being notified",
    turn(false),
    { ...FIRST, wakeAtMs: NOW_MS + 2 },
    askIn(2),
  ],
  [
    "asks soon once it can be notified: it may have missed a message",
    { what: "heard" },
    FIRST,
    askIn(SOON_MS),
  ],
  ["leaves that to the refresh of its place", { what: "heard" }, inPlace, GO_ON],
  ...[
    first(false),
    first(true),
    { what: "reader" } as const,
    turn(true),
    turn(false),
    { what: "heard" } as const,
  ].map((happened): Row => [
    `leaves it to the attempt that is under way: ${JSON.stringify(happened)}`,
    ...([happened, UNDER_WAY, GO_ON] as const),
  ]),
]);

table("nextMove, when its place was refreshed", [
  ["waits until a quorum can be free", looked(70), inPlace, waitFor(70 + SOON_MS)],
  ["asks at once where one is free", looked(0), inPlace, waitFor(SOON_MS)],
  [
    "asks by an attempt where no quorum answers",
    looked(),
    inPlace,
    { move: "askAt", atMs: NOW_MS + PAUSE_MS, leavesPlace: true },
  ],
  [
    "is not put off by that",
    looked(),
    { ...inPlace, askAtMs: NOW_MS + 1 },
    { move: "askAt", atMs: NOW_MS + 1, leavesPlace: true },
  ],
]);

describe("nextMove, before an acquire enters the queues of the nodes", () => {
  it("pauses for a time of each process's own where votes were split: those that split them would split them again", () => {
    for (const drawn of [0, 0.25, 0.5, 1]) {
      const move = nextMove(entered(SPLIT), { ...FIRST, random: () => drawn }, NOW_MS);
      expect(move).to.deep.equal(askIn(drawn * WAIT.minDelayMs));
    }
  });

  it("backs off where no node could tell it", () => {
    for (const failure of [SPLIT, REFUSED]) {
      const { quorumFreeInMs } = failure;
      const pauseMs = backoffMs({ ...WAIT, attemptCount: 3, quorumFreeInMs, unit: 0.5 });
      const known = { ...FIRST, isHeard: false, attemptCount: 3 };
      expect(nextMove(entered(failure), known, NOW_MS)).to.deep.equal(askIn(pauseMs));
      expect(pauseMs).to.be.above(0);
    }
  });
});

describe("nextMove", () => {
  const flag = fc.boolean();
  const anyKnown = fc
    .record({
      ...{ isUnderWay: flag, isOwned: flag, isFirst: flag, isLetIn: flag, isHeard: flag },
      ...{ isRefreshed: flag, isInPlace: flag, isItsTurn: flag, isTurnSeen: flag },
      ...{ mayAskInTurn: flag, fair: flag, attemptCount: fc.nat(40) },
      knownFailure: fc.constantFrom(undefined, REFUSED, SILENT),
      unit,
    })
    .map(({ fair, unit: drawn, ...known }) => ({
      known: { ...FIRST, ...known, wait: { ...WAIT, fair } },
      drawn,
    }));
  const failures = [REFUSED, SPLIT, SILENT, EXHAUSTED];
  const anyHappened = fc.constantFrom<Happened>(
    ...failures.flatMap((failure) => [
      entered(failure),
      failed(failure),
      { what: "joinFailed", failure } as const,
    ]),
    ...([
      entered(),
      due,
      first(true),
      first(false),
      { what: "reader" },
      turn(true),
      turn(false),
    ] as const),
    ...([{ what: "heard" }, looked(), looked(50)] as const),
  );

  it("draws at most one number, never asks in the past, and behind others only for its owner, a reader or at its end", () => {
    fc.assert(
      fc.property(anyHappened, anyKnown, flag, (happened, { known, drawn }, isLate) => {
        let draws = 0;
        const random = (): number => {
          draws++;
          return drawn;
        };
        const nowMs = isLate ? DEADLINE_MS : NOW_MS;
        const next = nextMove(happened, { ...known, random }, nowMs);
        expect(draws).to.be.at.most(1);
        if (next.move === "askAt") expect(next.atMs).to.be.at.least(nowMs);
        if (next.move === "wait") expect(next.untilMs).to.be.at.least(nowMs);
        if (next.move !== "ask" || known.isFirst || known.isLetIn) return;
        if (next.as === "joiner") expect(known.isOwned).to.equal(true);
        else if (next.as === "waiter") expect(happened).to.deep.equal(turn(true));
        else expect([isLate, known.wait.fair]).to.deep.equal([true, false]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("spreads those who ask at once over the shortest delay", () => {
    for (const drawn of [0, 0.25, 1]) {
      expect(soonMs({ wait: WAIT, random: () => drawn })).to.equal(drawn * WAIT.minDelayMs);
    }
  });
});
