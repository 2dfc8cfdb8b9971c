import type { Urgency } from "../../src/protocol/next-move.js";
import { expect } from "chai";
import * as fc from "fast-check";
import {
  failureOf,
  unaskedFailure,
  type AttemptFailure,
} from "../../src/protocol/attempt-failure.js";
import { backoffMs } from "../../src/protocol/backoff.js";
import { MAX_REFRESH_MS } from "../../src/protocol/node-queue.js";
import {
  countsWaiters,
  entryOf,
  mayBeginByGrant,
  isMadeAgain,
  nextMove,
  restUntilMs,
  type Happened,
  type Known,
  type NextMove,
  type WaitSettings,
} from "../../src/protocol/next-move.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { permitLock } from "../../src/kinds/permit.js";
import type { ContestState } from "../../src/protocol/split.js";
import { unit } from "../support/uniform.js";
import type { Vote } from "../../src/protocol/operation.js";
import { fault, foreign, granted, held } from "../support/votes.js";

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

/** What an acquire knows, each fact by itself. */
interface Facts {
  readonly wait: WaitSettings;
  readonly deadlineMs: number;
  readonly nodeTimeoutMs: number;
  readonly nodeCount: number;
  readonly attemptCount: number;
  readonly isUnderWay: boolean;
  /** Nodes have been asked, and what they still answer only says why it fails. */
  readonly isAsking: boolean;
  readonly isLost: boolean;
  readonly standing: Known["standing"];
  readonly undecidedMs: number | undefined;
  readonly isJoiner: boolean;
  readonly isOwned: boolean;
  readonly isQueued: boolean;
  readonly isFirst: boolean;
  readonly isLetIn: boolean;
  readonly isHeard: boolean;
  readonly isRefreshed: boolean;
  readonly isSet: boolean;
  readonly isInPlace: boolean;
  readonly isItsTurn: boolean;
  readonly isTurnSeen: boolean;
  readonly mayAskInTurn: boolean;
  readonly restsUntilMs: number | undefined;
  readonly wakeAtMs: number;
  readonly askAtMs: number;
  readonly ownWaiters: Known["ownWaiters"];
  readonly wasFirst: boolean;
  readonly knownFailure: AttemptFailure | undefined;
  readonly lastFailure: AttemptFailure | undefined;
  readonly refusal: AttemptFailure | undefined;
  readonly contest: ContestState | undefined;
  readonly permitCount: number | undefined;
  readonly wanted: number;
  readonly quickCount: number;
  readonly random: () => number;
}

function knownOf(facts: Facts): Known {
  const keys = keysOf("lock:", "name");
  const joinOnly = facts.isOwned ? () => keys : undefined;
  const { isRefreshed, isSet } = facts;
  const queue = { ...keys.queue, isRefreshed };
  const { wait, deadlineMs, nodeTimeoutMs, mayAskInTurn } = facts;
  const { permitCount, wanted } = facts;
  const { permits } = permitCount === undefined ? keys : permitLock(keys, permitCount, wanted);
  return {
    ...facts,
    request: {
      keys: { joinOnly, parts: isSet ? () => [] : undefined, queue, permits },
      settings: { nodeTimeoutMs },
      wait,
      deadlineMs,
    },
    attempt: facts.isUnderWay ? facts : undefined,
    place: facts.isQueued ? { ...facts, mayAskInTurn: () => mayAskInTurn } : undefined,
  };
}

/** First in line, notified by the nodes, asleep until its deadline, after one attempt. */
const FIRST: Facts = {
  ...{ wait: WAIT, deadlineMs: DEADLINE_MS, nodeCount: 3, attemptCount: 1, isUnderWay: false },
  ...{ isLost: false, ownWaiters: () => ({ count: 0, placeCount: 0 }), wasFirst: true },
  ...{ isOwned: false, isFirst: true, isLetIn: false, isHeard: true, isRefreshed: true },
  ...{ isInPlace: false, isItsTurn: false, isTurnSeen: false, mayAskInTurn: true },
  ...{ wakeAtMs: DEADLINE_MS, askAtMs: DEADLINE_MS, random: () => 0.5 },
  ...{ knownFailure: undefined, lastFailure: undefined, refusal: undefined },
  ...{
    nodeTimeoutMs: 50,
    isQueued: true,
    isJoiner: false,
    contest: undefined,
    permitCount: undefined,
    wanted: 1,
    quickCount: 0,
  },
  ...{ isAsking: true, isLost: false, standing: "wait", undecidedMs: undefined },
  ...{ restsUntilMs: undefined, isSet: false },
};
const BEHIND: Facts = { ...FIRST, isFirst: false };
const OWNED: Facts = { ...BEHIND, isOwned: true };

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
  known: Facts,
  move: NextMove,
  nowMs?: number,
];

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const [says, happened, known, move, nowMs = NOW_MS] of rows) {
      it(says, () => {
        expect(nextMove(happened, knownOf(known), nowMs)).to.deep.equal(move);
      });
    }
  });
}

const entered = (failure?: AttemptFailure): Happened => ({ what: "entered", failure });
const queued = (failure: AttemptFailure): Happened => ({ what: "queued", failure });
const failed = (failure: AttemptFailure, isFree = false): Happened => ({
  ...{ what: "failed", failure, isFree },
});
const joinFailed: Happened = { what: "joinFailed", failure: REFUSED };
const due: Happened = { what: "due" };
const turn = (isQuorum: boolean): Happened => ({ what: "turn", isQuorum });
const looked = (quorumFreeInMs?: number): Happened => ({ what: "looked", quorumFreeInMs });

const NEW: Facts = { ...FIRST, isQueued: false, isFirst: false, attemptCount: 0 };
const [FAIR, ONCE] = [
  { ...WAIT, fair: true },
  { ...WAIT, waitMs: 0 },
];
const begun = (isWaitedFor: boolean, isContended = isWaitedFor): Happened => ({
  ...{ what: "begun", isWaitedFor, isContended },
});
const queue = (failure?: AttemptFailure): NextMove => ({ move: "queue", failure });
const askLateIn = (ms: number, nowMs = DEADLINE_MS): NextMove => ({
  ...{ move: "askAt", atMs: nowMs + ms, isLate: true },
});

table("nextMove, when it is requested", [
  ["asks where nobody waits", begun(false), NEW, ask("newcomer")],
  ["queues behind others of its process", begun(true), NEW, queue()],
  ["queues at once where the name was contended lately", begun(false, true), NEW, queue()],
  ["queues where it is fair", begun(false), { ...NEW, wait: FAIR }, queue()],
  [
    "asks once where it does not wait, past those who do",
    begun(true),
    { ...NEW, wait: ONCE },
    ask("newcomer"),
  ],
  [
    "does not pass those who wait where it is fair",
    begun(true),
    { ...NEW, wait: { ...ONCE, fair: true } },
    giveUp(unaskedFailure("refused", 3)),
  ],
  [
    "looks for its owner's lock in that case: that passes nobody",
    begun(true),
    { ...NEW, isOwned: true, wait: { ...ONCE, fair: true } },
    ask("joiner"),
  ],
  [
    "asks once where it is fair and nobody waits",
    begun(false),
    { ...NEW, wait: { ...ONCE, fair: true } },
    ask("newcomer"),
  ],
]);

const LIMITED: Facts = { ...NEW, wait: { ...WAIT, maxWaiters: 2 } };
const LIMITED_FAIR: Facts = { ...NEW, wait: { ...FAIR, maxWaiters: 2 } };
const own = (count: number) => ({
  ownWaiters: () => ({ count, placeCount: Math.min(count, 1) }),
});
/** Each node says that so many wait. */
const refusedBeside = (waitingCount: number): AttemptFailure =>
  failureOf(
    "refused",
    [held(), held(), held()].map((vote) => ({ ...vote, waitingCount })),
  );
const full = (failure: AttemptFailure, waitingCount: number): NextMove =>
  giveUp({ ...failure, waitingCount });
const unaskedRefusal = unaskedFailure("refused", 3);
table("nextMove, where not too many may wait", [
  ["asks past those who wait: the name may be free", begun(true), LIMITED, ask("newcomer")],
  [
    "asks so however many wait in its process",
    begun(true),
    { ...LIMITED, ...own(9) },
    ask("newcomer"),
  ],
  ["asks where the name was contended lately", begun(false, true), LIMITED, ask("newcomer")],
  ["queues where it is fair and first: others come behind it", begun(false), LIMITED_FAIR, queue()],
  [
    "leaves the queue where it is fair and many wait elsewhere",
    failed(refusedBeside(3)),
    { ...LIMITED_FAIR, ...own(1), isQueued: true, isFirst: true, attemptCount: 1 },
    full(refusedBeside(3), 2),
  ],
  [
    "stays in the queue where only it and few others are",
    failed(refusedBeside(2)),
    { ...LIMITED_FAIR, ...own(1), isQueued: true, isFirst: true, attemptCount: 1 },
    queue(refusedBeside(2)),
  ],
  [
    "stays in the queue once others of its process have let it",
    failed(refusedBeside(9)),
    { ...LIMITED_FAIR, ...own(1), isQueued: true, wasFirst: false, attemptCount: 1 },
    queue(refusedBeside(9)),
  ],
  ["queues behind few where it is fair", begun(true), { ...LIMITED_FAIR, ...own(1) }, queue()],
  [
    "does not queue behind many where it is fair",
    begun(true),
    { ...LIMITED_FAIR, ...own(2) },
    full(unaskedRefusal, 2),
  ],
  [
    "queues for an owner behind many: that one may hold the name",
    begun(true),
    { ...LIMITED_FAIR, ...own(2), isOwned: true },
    queue(),
  ],
  ["waits where few do", failed(refusedBeside(1)), LIMITED, queue(refusedBeside(1))],
  ["does not wait where many do", failed(refusedBeside(2)), LIMITED, full(refusedBeside(2), 2)],
  [
    "counts those of its process and the others",
    failed(refusedBeside(2)),
    { ...LIMITED, ...own(2) },
    full(refusedBeside(2), 3),
  ],
  [
    "waits after a split: nobody has the name",
    failed(SPLIT),
    { ...LIMITED, ...own(9) },
    queue(SPLIT),
  ],
  ["waits while nodes are silent", failed(SILENT), { ...LIMITED, ...own(9) }, queue(SILENT)],
  [
    "stays in the queue that it is in",
    failed(refusedBeside(9)),
    { ...LIMITED, isQueued: true, attemptCount: 2 },
    queue(refusedBeside(9)),
  ],
  [
    "says that its time is over where it is",
    failed(refusedBeside(9)),
    LIMITED,
    giveUp(refusedBeside(9)),
    DEADLINE_MS,
  ],
]);

const CONTESTED = { ...SPLIT, isContested: true };
/** Split for the first time, by nodes that take 4 ms. */
const CONTEST: ContestState = {
  ...{ untilMs: DEADLINE_MS + 40, askUntilMs: DEADLINE_MS + 30, isLastAsk: false },
  ...{ sentMs: NOW_MS, roundTripMs: 4, splitCount: 1 },
};
const IN_CONTEST = { contest: CONTEST };
/** One to two round trips. */
const CONTEST_PAUSE_MS = 6;
const quickly = (as: "newcomer" | "joiner" | "waiter"): NextMove => ({
  ...{ move: "ask", as, isQuick: true },
});
const HOPELESS = failureOf("refused", [foreign(), foreign(), held()]);
const ASKED: Facts = { ...NEW, attemptCount: 1 };
table("nextMove, after an attempt", [
  ["queues", failed(REFUSED), ASKED, queue(REFUSED)],
  ["waits on in its queue", failed(REFUSED), FIRST, queue(REFUSED)],
  ["gives up after the deadline", failed(REFUSED), ASKED, giveUp(REFUSED), DEADLINE_MS],
  ["gives up where waiting is of no use", failed(HOPELESS), ASKED, giveUp(HOPELESS)],
  [
    "gives up where it wants more permits than there are by now",
    failed(REFUSED, true),
    { ...FIRST, permitCount: 4, wanted: 5 },
    giveUp(REFUSED),
  ],
  [
    "waits on where it wants all of them",
    failed(REFUSED),
    { ...FIRST, permitCount: 4, wanted: 4 },
    queue(REFUSED),
  ],
  [
    "waits on where nodes that do not answer may have more",
    failed(SILENT),
    { ...FIRST, permitCount: 4, wanted: 5 },
    queue(SILENT),
  ],
  ["asks again at once for another permit", failed(REFUSED, true), ASKED, quickly("newcomer")],
  ["asks again from its queue", failed(REFUSED, true), FIRST, quickly("waiter")],
  [
    "does so for a permit 16 times in a row",
    failed(REFUSED, true),
    { ...ASKED, permitCount: 4, quickCount: 15 },
    quickly("newcomer"),
  ],
  [
    "but not more",
    failed(REFUSED, true),
    { ...ASKED, permitCount: 4, quickCount: 16 },
    queue(REFUSED),
  ],
  [
    "does so 4 times in a row where others were only faster",
    failed(EXHAUSTED, true),
    { ...FIRST, quickCount: 3, random: () => 0 },
    quickly("waiter"),
  ],
  ["but not more often", failed(EXHAUSTED, true), { ...FIRST, quickCount: 4 }, queue(EXHAUSTED)],
  [
    "looks again for its owner's lock",
    failed(REFUSED, true),
    { ...ASKED, isJoiner: true },
    quickly("joiner"),
  ],
  [
    "pauses where it split the votes for it",
    failed(SPLIT, true),
    ASKED,
    { move: "askAt", atMs: NOW_MS + SOON_MS, isLate: true, isQuick: true },
  ],
  [
    "pauses no longer than half of the time that is left for that",
    failed(SPLIT, true),
    ASKED,
    { move: "askAt", atMs: DEADLINE_MS + 45, isLate: true, isQuick: true },
    DEADLINE_MS + 40,
  ],
  [
    "asks for it slightly after the deadline, too",
    failed(REFUSED, true),
    ASKED,
    quickly("newcomer"),
    DEADLINE_MS + 49,
  ],
  ["but not later", failed(REFUSED, true), ASKED, giveUp(REFUSED), DEADLINE_MS + 50],
  [
    "asks again after the deadline where the nodes were split",
    failed(CONTESTED),
    { ...ASKED, ...IN_CONTEST },
    askLateIn(CONTEST_PAUSE_MS),
    DEADLINE_MS,
  ],
  [
    "does so for the last time a round trip before nobody may be asked",
    failed(CONTESTED),
    { ...ASKED, ...IN_CONTEST },
    { move: "askAt", atMs: DEADLINE_MS + 26, isLate: true, isLastAsk: true },
    DEADLINE_MS + 24,
  ],
  [
    "does so at once where that has passed",
    failed(CONTESTED),
    { ...ASKED, ...IN_CONTEST },
    { move: "askAt", atMs: DEADLINE_MS + 29, isLate: true, isLastAsk: true },
    DEADLINE_MS + 29,
  ],
  [
    "gives up once its last ask was split",
    failed(CONTESTED),
    { ...ASKED, contest: { ...CONTEST, isLastAsk: true } },
    giveUp(CONTESTED),
    DEADLINE_MS,
  ],
  [
    "gives up once nodes would have too little time to answer",
    failed(CONTESTED),
    { ...ASKED, ...IN_CONTEST },
    giveUp(CONTESTED),
    DEADLINE_MS + 30,
  ],
  [
    "queues for that before the deadline",
    failed(CONTESTED),
    { ...ASKED, ...IN_CONTEST },
    queue(CONTESTED),
  ],
  [
    "does not from a queue: that decides",
    failed(CONTESTED),
    { ...FIRST, ...IN_CONTEST },
    giveUp(CONTESTED),
    DEADLINE_MS,
  ],
  [
    "says at the end that somebody held the name, if it was told so before a split",
    failed(SPLIT),
    { ...ASKED, refusal: REFUSED },
    giveUp(REFUSED),
    DEADLINE_MS,
  ],
  [
    "says the last it knows where silence ends it",
    failed(SILENT),
    { ...ASKED, refusal: REFUSED },
    giveUp(SILENT),
    DEADLINE_MS,
  ],
  [
    "asks again outside a queue once it is due",
    { what: "due" },
    ASKED,
    ask("newcomer"),
    DEADLINE_MS + 3,
  ],
  [
    "asks again for the last time in a contest once that is due",
    { what: "due" },
    { ...ASKED, lastFailure: CONTESTED, contest: { ...CONTEST, isLastAsk: true } },
    ask("newcomer"),
    DEADLINE_MS + 39,
  ],
  [
    "does not where that is due too late: another contest would begin",
    { what: "due" },
    { ...ASKED, lastFailure: CONTESTED, contest: { ...CONTEST, isLastAsk: true } },
    giveUp(CONTESTED),
    DEADLINE_MS + 40,
  ],
]);

const unasked: Happened = { what: "unasked", failure: unaskedFailure("queued", 3) };
const stolen: Happened = { what: "stolen" };
const ASKING: Facts = { ...ASKED, isUnderWay: true };
const NOT_ASKING: Facts = { ...NEW, isUnderWay: true, isAsking: false };
table("nextMove, where it was interrupted", [
  ["says that it was not asked in time", unasked, NEW, giveUp(unaskedFailure("queued", 3))],
  ["says what it knows instead", unasked, { ...ASKED, lastFailure: SILENT }, giveUp(SILENT)],
  [
    "says what others were told instead",
    unasked,
    { ...FIRST, knownFailure: REFUSED },
    giveUp(REFUSED),
  ],
  ["asks after the request that steals the name", stolen, ASKING, askIn(0)],
  ["does so where it had not asked yet", stolen, NOT_ASKING, askIn(0)],
  ["keeps its only attempt where that was not sent yet", stolen, NOT_ASKING, GO_ON, DEADLINE_MS],
  ["does nothing where it asks for nothing", stolen, FIRST, GO_ON],
  [
    "does so where its attempt is lost already",
    stolen,
    { ...ASKING, isAsking: false, isLost: true },
    askIn(0),
  ],
  [
    "is told why its only attempt was lost",
    stolen,
    { ...ASKING, isAsking: false, isLost: true },
    GO_ON,
    DEADLINE_MS,
  ],
  [
    "is refused after its deadline",
    stolen,
    ASKING,
    giveUp(unaskedFailure("refused", 3)),
    DEADLINE_MS,
  ],
  ["is told what it knew", stolen, { ...ASKING, lastFailure: SILENT }, giveUp(SILENT), DEADLINE_MS],
]);

const STEALING: Facts = { ...NEW, standing: "preempt" };
const STEALING_ONCE: Facts = { ...STEALING, wait: ONCE, deadlineMs: NOW_MS };
/** An earlier request of its process was sent 20 ms ago. */
const UNDECIDED = { undecidedMs: NOW_MS - 20 };
const ADOPTING: Facts = { ...NEW, standing: "adopt", wait: ONCE, deadlineMs: NOW_MS };
const decided: Happened = { what: "decided" };
const YIELD: NextMove = { move: "yield" };
const steal: NextMove = { move: "ask", as: "preempt" };
table("nextMove, where it steals the name", [
  ["asks at once, past those who wait", begun(true), STEALING, steal],
  [
    "waits until earlier requests are decided, a node deadline after they were sent",
    begun(true),
    { ...STEALING, ...UNDECIDED },
    askLateIn(30, NOW_MS),
  ],
  [
    "waits for a whole one where they were not sent yet",
    begun(true),
    { ...STEALING, undecidedMs: Number.POSITIVE_INFINITY },
    askLateIn(50, NOW_MS),
  ],
  [
    "waits for them no longer than for its own deadline",
    begun(true),
    { ...STEALING, ...UNDECIDED, deadlineMs: NOW_MS + 10 },
    askLateIn(10, NOW_MS),
  ],
  [
    "waits for them where it asks only once, too",
    begun(true),
    { ...STEALING_ONCE, ...UNDECIDED },
    askLateIn(30, NOW_MS),
  ],
  [
    "waits on where it is woken too early",
    due,
    { ...STEALING, ...UNDECIDED },
    askLateIn(30, NOW_MS),
  ],
  ["asks once that time is over", due, { ...STEALING, undecidedMs: NOW_MS - 50 }, steal],
  ["asks once they are decided", decided, STEALING, steal],
  [
    "waits for others that asked meanwhile",
    decided,
    { ...STEALING, ...UNDECIDED },
    askLateIn(30, NOW_MS),
  ],
  ["asks once, however often it is woken", due, { ...STEALING, isUnderWay: true }, GO_ON],
  ["has asked already when they are decided", decided, { ...STEALING, attemptCount: 1 }, GO_ON],
  ["backs off after a failure", failed(SILENT), { ...STEALING, attemptCount: 1 }, askIn(PAUSE_MS)],
  ["asks again then", due, { ...STEALING, ...UNDECIDED, attemptCount: 1 }, steal],
  ["gives up after its deadline", failed(SILENT), STEALING, giveUp(SILENT), DEADLINE_MS],
  ["gives up where it asks only once", failed(SILENT), STEALING_ONCE, giveUp(SILENT)],
  ["gives up where that is of no use", failed(HOPELESS), STEALING, giveUp(HOPELESS)],
  ["is over where a later request steals the name", stolen, STEALING, YIELD],
  ["is over then, whatever it does", stolen, { ...STEALING, isUnderWay: true }, YIELD],
]);

table("nextMove, where it adopts a lock", [
  ["asks at once, past those who wait", begun(true), ADOPTING, { move: "ask", as: "adopt" }],
  [
    "does so where others are fair: it takes nothing from them",
    begun(true),
    { ...ADOPTING, wait: { ...ONCE, fair: true } },
    { move: "ask", as: "adopt" },
  ],
  ["asks only once", failed(REFUSED), ADOPTING, giveUp(REFUSED)],
  ["is over where another request steals the name", stolen, ADOPTING, YIELD],
]);

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
    entered(CONTESTED),
    { ...FIRST, ...IN_CONTEST, isHeard: false },
    askIn(CONTEST_PAUSE_MS),
  ],
  [
    "backs off then where the contest is over",
    entered(CONTESTED),
    { ...FIRST, contest: { ...CONTEST, isLastAsk: true }, isHeard: false },
    askIn(PAUSE_MS),
  ],
  ["asks beside readers that ask at once", entered(), { ...BEHIND, isLetIn: true }, ask("waiter")],
  ["sleeps behind others, whatever it was told", entered(REFUSED), BEHIND, AT_DEADLINE],
  ["looks at once for its owner's lock behind others", entered(), OWNED, ask("joiner")],
  ["looks again later for its owner's lock", entered(REFUSED), OWNED, askIn(POLL_MS)],
]);

table("nextMove, in its wait queue after an attempt", [
  [
    "waits in the nodes' queues until a quorum can be free",
    queued(REFUSED),
    FIRST,
    waitFor(400 + SOON_MS),
  ],
  ["does so after a split, too", queued(SPLIT), FIRST, waitFor(400 + SOON_MS)],
  [
    "polls where places are not refreshed",
    queued(REFUSED),
    { ...FIRST, isRefreshed: false },
    askIn(POLL_MS),
  ],
  [
    "polls where nodes are silent: it may be in too few queues",
    queued(SILENT),
    FIRST,
    askIn(POLL_MS),
  ],
  ["polls where the grants came too late", queued(EXHAUSTED), FIRST, askIn(SOON_MS + 1)],
  [
    "backs off where nobody notifies it",
    queued(SILENT),
    { ...FIRST, isHeard: false },
    askIn(PAUSE_MS),
  ],
  [
    "asks again where a quorum has notified it meanwhile",
    queued(REFUSED),
    { ...FIRST, isItsTurn: true },
    { move: "askAt", atMs: NOW_MS, isCalled: true },
  ],
  [
    "does not at any rate, as notifications can be forged",
    queued(REFUSED),
    { ...FIRST, isItsTurn: true, mayAskInTurn: false },
    waitFor(400 + SOON_MS),
  ],
  [
    "asks when its rest is over, so that nobody waits for it after that",
    queued(REFUSED),
    { ...FIRST, isRefreshed: false, restsUntilMs: NOW_MS + 33 },
    askIn(33),
  ],
  [
    "does so where nobody notifies it",
    queued(REFUSED),
    { ...FIRST, isHeard: false, restsUntilMs: NOW_MS + 33 },
    askIn(33),
  ],
  [
    "contends meanwhile, if it may",
    queued(CONTESTED),
    { ...FIRST, ...IN_CONTEST, isHeard: false, restsUntilMs: NOW_MS + 333 },
    askIn(CONTEST_PAUSE_MS),
  ],
  [
    "pauses after a rest that is over",
    queued(SILENT),
    { ...FIRST, restsUntilMs: NOW_MS },
    askIn(POLL_MS),
  ],
  ["sleeps once others have passed it", queued(EXHAUSTED), BEHIND, AT_DEADLINE],
  ["keeps looking for its owner's lock then", queued(EXHAUSTED), OWNED, askIn(SOON_MS + 1)],
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

const SET: Facts = { ...FIRST, isRefreshed: false, isSet: true };
const ofKey = (key: string): Vote => ({ ...held(), key });
const MISSING = failureOf("refused", [ofKey("lock:b"), ofKey("lock:a"), ofKey("lock:b")]);
const part = (isHad: boolean): Happened => ({ what: "part", isHad });
const PASSED: Happened = { what: "passed" };
const first = (isHeldHere: boolean): Happened => ({ what: "first", isHeldHere });
const UNDER_WAY = { ...FIRST, isUnderWay: true };
const LOST = { ...UNDER_WAY, isLost: true };
table("nextMove, on what it hears", [
  ["asks soon once all ahead gave up", first(false), FIRST, askIn(0)],
  [
    "polls once the one ahead got the lock: its release notifies us",
    first(true),
    FIRST,
    askIn(POLL_MS),
  ],
  [
    "does not before its rest is over",
    first(false),
    { ...FIRST, restsUntilMs: NOW_MS + 3 },
    askIn(3),
  ],
  ["does after its rest", first(false), { ...FIRST, restsUntilMs: NOW_MS - 3 }, askIn(0)],
  [
    "rests where that is longer than the pause behind a lock of its process",
    first(true),
    { ...FIRST, restsUntilMs: NOW_MS + POLL_MS + 1 },
    askIn(POLL_MS + 1),
  ],
  [
    "pauses where its rest is shorter",
    first(true),
    { ...FIRST, restsUntilMs: NOW_MS + POLL_MS - 1 },
    askIn(POLL_MS),
  ],
  ["does not pause as a set: that release puts it into no queue", first(true), SET, askIn(0)],
  ["sleeps once others have passed it while it rests", PASSED, BEHIND, AT_DEADLINE],
  [
    "looks again for its owner's lock then",
    PASSED,
    { ...OWNED, lastFailure: SILENT },
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
  ["asks for a set once it has a name that it lacked", part(true), SET, ask("waiter")],
  ["asks for it after a pause where it cannot wait for that", part(false), SET, askIn(POLL_MS)],
  ["does not while others are ahead of it", part(true), { ...SET, isFirst: false }, GO_ON],
  ...[
    first(false),
    first(true),
    PASSED,
    { what: "reader" } as const,
    turn(true),
    turn(false),
    { what: "heard" } as const,
  ].map((happened): Row => [
    `leaves it to the attempt that is under way: ${JSON.stringify(happened)}`,
    ...([happened, UNDER_WAY, GO_ON] as const),
  ]),
  [
    "asks anew where a quorum notifies it, and its attempt can only learn why it failed",
    turn(true),
    LOST,
    { move: "askAt", atMs: NOW_MS, isCalled: true },
  ],
  ...[first(false), { what: "reader" } as const, turn(false), { what: "heard" } as const].map(
    (happened): Row => [
      `does not for anything else: ${JSON.stringify(happened)}`,
      ...([happened, LOST, GO_ON] as const),
    ],
  ),
  ["does not where it was notified too often", turn(true), { ...LOST, mayAskInTurn: false }, GO_ON],
  ["does not at its deadline: the attempt was its last", turn(true), LOST, GO_ON, DEADLINE_MS],
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

const GATHER: NextMove = { move: "gather", lockKey: "lock:b" };
table("nextMove, of a set that lacks a name", [
  [
    "waits for the one that most nodes tell, from its first attempt on",
    entered(MISSING),
    SET,
    GATHER,
  ],
  ["does so after each attempt", queued(MISSING), SET, GATHER],
  [
    "whether or not nodes can notify it",
    queued({ ...MISSING, kind: "split" }),
    { ...SET, isHeard: false },
    GATHER,
  ],
  ["polls where no node tells one", queued(REFUSED), SET, askIn(POLL_MS)],
  [
    "polls where too few nodes answer",
    queued({ ...MISSING, kind: "unreachable" }),
    SET,
    askIn(POLL_MS),
  ],
  ["waits behind others of its process", queued(MISSING), { ...SET, isFirst: false }, AT_DEADLINE],
]);

describe("isMadeAgain", () => {
  const late = fault("late", false);
  for (const [votes, isOwnDelay] of [
    [[late, late, late], true],
    [[granted(7), late, late], true],
    [[held(), late, late], true],
    [[fault(), fault(), late], false],
    [[held(), held(), late], false],
    [[late, held(), fault()], false],
  ] as const) {
    const kinds = votes.map((vote) => (vote.kind === "fault" ? vote.fault : vote.kind)).join(", ");
    it(`${isOwnDelay ? "is" : "is not"} after ${kinds}, up to 8 times`, () => {
      const failure = failureOf("unreachable", votes);
      expect(isMadeAgain(failure, 0)).to.equal(isOwnDelay);
      expect(isMadeAgain(failure, 7)).to.equal(isOwnDelay);
      expect(isMadeAgain(failure, 8)).to.equal(false);
      expect(isMadeAgain({ ...failure, kind: "split" }, 0)).to.equal(false);
    });
  }
});

describe("countsWaiters", () => {
  const place = knownOf(FIRST).place;
  for (const [says, maxWaiters, facts, earlierCount, counts] of [
    ["no limit", undefined, { place: undefined, wasFirst: false }, 0, false],
    ["a newcomer", 3, { place: undefined, wasFirst: false }, 2, true],
    ["the first of its process, for the first time", 3, { place, wasFirst: true }, 0, true],
    ["the first of its process, again", 3, { place, wasFirst: true }, 1, false],
    ["one behind others of its process", 3, { place, wasFirst: false }, 0, false],
  ] as const) {
    it(`is ${counts} for ${says}`, () => {
      const known = knownOf(FIRST);
      const wait = { ...known.request.wait, ...(maxWaiters !== undefined && { maxWaiters }) };
      const request = { ...known.request, wait };
      expect(countsWaiters({ ...known, ...facts, request }, earlierCount)).to.equal(counts);
    });
  }
});

describe("mayBeginByGrant", () => {
  for (const [nowMs, may] of [
    [999, true],
    [1_000, true],
    [1_000.1, false],
  ] as const) {
    it(`is ${may} at ${nowMs} of a deadline at 1,000`, () => {
      expect(mayBeginByGrant({ request: { deadlineMs: 1_000 } }, nowMs)).to.equal(may);
    });
  }
});

describe("restUntilMs", () => {
  for (const [says, facts, restMs] of [
    ["is as long as it pauses", {}, POLL_MS],
    ["is a back-off where nobody notifies it", { isHeard: false }, PAUSE_MS],
  ] as const) {
    it(says, () => {
      const untilMs = restUntilMs(SILENT, knownOf({ ...FIRST, ...facts }), NOW_MS);
      expect(untilMs).to.equal(NOW_MS + restMs);
    });
  }

  it("ends soon after a quorum can be free", () => {
    expect(restUntilMs({ ...REFUSED, quorumFreeInMs: 9 }, knownOf(FIRST), NOW_MS)).to.equal(
      NOW_MS + 9 + SOON_MS,
    );
  });
});

describe("entryOf", () => {
  const NEVER = Number.POSITIVE_INFINITY;
  const rows: readonly (readonly [
    says: string,
    facts: Facts,
    nowMs: number,
    urgency: Urgency,
    beginUntilMs: number,
  ])[] = [
    ["may begin until the deadline", NEW, NOW_MS, "plain", DEADLINE_MS],
    ["is called where it adopts a lock", ADOPTING, NOW_MS, "called", NEVER],
    ["is patient once it has failed", ASKED, NOW_MS, "patient", DEADLINE_MS],
    [
      "is not at the deadline, which leaves it a moment",
      ASKED,
      DEADLINE_MS,
      "plain",
      DEADLINE_MS + 1,
    ],
    ["may begin at any time where it asks once", { ...NEW, wait: ONCE }, NOW_MS, "plain", NEVER],
    [
      "may begin while it contends, where that is longer",
      { ...ASKED, ...IN_CONTEST },
      NOW_MS,
      ...(["patient", DEADLINE_MS + 40] as const),
    ],
    [
      "may begin only while it contends, where it asks once otherwise",
      { ...ASKED, ...IN_CONTEST, wait: ONCE, deadlineMs: NOW_MS - 1 },
      NOW_MS,
      ...(["plain", DEADLINE_MS + 40] as const),
    ],
    [
      "may begin at any time once that is over, such as for another permit",
      { ...ASKED, lastFailure: CONTESTED, wait: ONCE, deadlineMs: NOW_MS },
      NOW_MS,
      ...(["plain", NEVER] as const),
    ],
  ];
  for (const [says, facts, nowMs, urgency, beginUntilMs] of rows) {
    it(says, () => {
      expect(entryOf(knownOf(facts), nowMs)).to.deep.equal({ urgency, beginUntilMs });
    });
  }
});

describe("nextMove, before an acquire enters the queues of the nodes", () => {
  it("pauses for a time of each process's own where votes were split: those that split them would split them again", () => {
    for (const drawn of [0, 0.25, 0.5, 1]) {
      const move = nextMove(entered(SPLIT), knownOf({ ...FIRST, random: () => drawn }), NOW_MS);
      expect(move).to.deep.equal(askIn(drawn * WAIT.minDelayMs));
    }
  });

  it("backs off where no node could tell it", () => {
    for (const failure of [SPLIT, REFUSED]) {
      const { quorumFreeInMs } = failure;
      const pauseMs = backoffMs({ ...WAIT, attemptCount: 3, quorumFreeInMs, unit: 0.5 });
      const known = { ...FIRST, isHeard: false, attemptCount: 3 };
      expect(nextMove(entered(failure), knownOf(known), NOW_MS)).to.deep.equal(askIn(pauseMs));
      expect(pauseMs).to.be.above(0);
    }
  });
});

describe("nextMove", () => {
  const flag = fc.boolean();
  const anyKnown = fc
    .record({
      ...{
        isUnderWay: flag,
        isOwned: flag,
        isFirst: flag,
        isLetIn: flag,
        isHeard: flag,
        isSet: flag,
      },
      ...{ isRefreshed: flag, isInPlace: flag, isItsTurn: flag, isTurnSeen: flag },
      ...{ mayAskInTurn: flag, fair: flag, attemptCount: fc.nat(40) },
      knownFailure: fc.constantFrom(undefined, REFUSED, SILENT),
      lastFailure: fc.constantFrom(undefined, REFUSED, SILENT),
      restsUntilMs: fc.constantFrom(undefined, NOW_MS - 1, NOW_MS + 1),
      unit,
    })
    .map(({ fair, unit: drawn, ...known }) => ({
      known: { ...FIRST, ...known, wait: { ...WAIT, fair } },
      drawn,
    }));
  const failures = [REFUSED, SPLIT, SILENT, EXHAUSTED, MISSING];
  const anyHappened = fc.constantFrom<Happened>(
    ...failures.flatMap((failure) => [
      entered(failure),
      queued(failure),
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
    ...([PASSED, { what: "heard" }, looked(), looked(50), part(true), part(false)] as const),
  );

  it("draws at most one number after an attempt, never asks in the past, and gives up only after the deadline", () => {
    const anyContest = fc
      .record({ isLastAsk: flag, splitCount: fc.integer({ min: 1, max: 9 }), tripMs: fc.nat(60) })
      .map(({ tripMs, ...state }) => ({ ...CONTEST, ...state, roundTripMs: tripMs }));
    const anyFailure = fc.constantFrom(...failures, CONTESTED);
    fc.assert(
      fc.property(
        ...([anyFailure, anyKnown, fc.option(anyContest, { nil: undefined })] as const),
        ...([flag, flag, fc.nat(1_100), fc.nat(17)] as const),
        (failure, { known, drawn }, contest, isFree, isQueued, laterMs, quickCount) => {
          let draws = 0;
          const random = (): number => {
            draws++;
            return drawn;
          };
          const nowMs = NOW_MS + laterMs;
          const facts = { ...known, contest, isQueued, isUnderWay: false, quickCount, random };
          const next = nextMove(failed(failure, isFree), knownOf(facts), nowMs);
          expect(draws).to.be.at.most(1);
          if (next.move === "askAt") {
            const limitMs = next.isQuick === true ? DEADLINE_MS + 50 : contest?.untilMs;
            expect(next.atMs).to.be.within(nowMs, limitMs ?? 0);
          }
          if (next.move === "giveUp") expect(nowMs).to.be.at.least(DEADLINE_MS);
          if (next.move === "queue") expect(nowMs).to.be.below(DEADLINE_MS);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("draws at most one number, never asks in the past, and behind others only for its owner, a reader or at its end", () => {
    fc.assert(
      fc.property(anyHappened, anyKnown, flag, (happened, { known, drawn }, isLate) => {
        let draws = 0;
        const random = (): number => {
          draws++;
          return drawn;
        };
        // One that waits behind others, for nobody's sake, sleeps until its deadline.
        const isAsleep = !known.isFirst && !known.isLetIn && !known.isOwned;
        const isAtEnd = isLate || (happened.what === "due" && isAsleep);
        const nowMs = isAtEnd ? DEADLINE_MS : NOW_MS;
        const next = nextMove(happened, knownOf({ ...known, random }), nowMs);
        expect(draws).to.be.at.most(1);
        if (next.move === "askAt") expect(next.atMs).to.be.at.least(nowMs);
        if (next.move === "wait") expect(next.untilMs).to.be.at.least(nowMs);
        if (next.move !== "ask" || known.isFirst || known.isLetIn) return;
        if (next.as === "joiner") expect(known.isOwned).to.equal(true);
        else if (next.as === "waiter") expect(happened).to.deep.equal(turn(true));
        else expect([isAtEnd, known.wait.fair]).to.deep.equal([true, false]);
      }),
      { numRuns: 2_000 },
    );
  });
});
