import { expect } from "chai";
import { inspect } from "node:util";
import type { LossCause } from "../../src/coordinator/loss.js";
import { HELD_CODES, NO_QUORUM_CODES } from "../../src/api/error-codes.js";
import {
  ClosedError,
  LockContendedError,
  LockHeldError,
  LockLostError,
  NoQuorumError,
  NotAdoptableError,
  NotReadyError,
  OverloadedError,
  QueueFullError,
  QuorateError,
  QuorumUnreachableError,
  SplitError,
  ValidityExhaustedError,
  WaitTimeoutError,
  type QuorateErrorCode,
} from "../../src/api/errors.js";
import type { NodeStatus } from "../../src/api/events.js";
import { MalformedTokenError, StaleTokenError } from "../../src/fencing/errors.js";
import { lossErrorOf } from "../../src/manager/loss-error.js";
import {
  ForeignKeyError,
  MisconfiguredError,
  MixedLayoutError,
  PermitsMismatchError,
} from "../../src/api/node-errors.js";
import { ReentryError } from "../../src/api/reentry-error.js";
import { nodeVotes, tallyText, type NodeVote } from "../../src/api/tally.js";
import { errorOf } from "../../src/manager/outcome-error.js";
import { faultVote, type FaultKind, type Vote } from "../../src/protocol/operation.js";
import { leaseSettings } from "../support/coordinator-bench.js";
import { fault, foreign, granted, held } from "../support/votes.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { permitLock } from "../../src/kinds/permit.js";
import { takenVote } from "../support/taken-vote.js";

const NAMES = ["a:1", "b:1", "c:1", "d:1", "e:1"];

const VOTES: (Vote | undefined)[] = [
  granted(7),
  granted(7),
  held(400, "host:17"),
  fault("timeout"),
  fault("timeout"),
];

const TRIED = {
  ...{ waitedMs: 1_234.4, attemptCount: 7, marginMs: 0 },
  ...{ isHeldHere: false, isReentrant: true },
  heldNames: [],
};

const PERMIT_KEYS = permitLock(keysOf("lock:", "invoice"), 4);
const OTHER_PERMITS = foreign("semaphore:3");

const errorWith = (
  kind: "refused" | "split" | "unreachable" | "exhausted",
  votes: (Vote | undefined)[],
  waitMs = 0,
  keys: LockKind = keysOf("lock:", "invoice"),
): QuorateError => {
  const failure = { kind, votes, quorumFreeInMs: 0, isOutrun: false, isContested: false };
  const tried = { waitMs, waitedMs: 1_234.4, attemptCount: 3, marginMs: 150 };
  return errorOf(keys, failure, NAMES.slice(0, votes.length), tried);
};

describe("nodeVotes", () => {
  it("says node by node what was voted, and why not", () => {
    expect(
      nodeVotes(NAMES.slice(0, 4), [granted(7), held(400, "host:17"), fault("timeout")]),
    ).to.deep.equal([
      { node: "a:1", vote: "granted" },
      { node: "b:1", vote: "refused", freeInMs: 400, label: "host:17" },
      { node: "c:1", vote: "fault", fault: "timeout", message: "the test says timeout" },
      { node: "d:1", vote: "none" },
    ]);
  });
});

describe("tallyText", () => {
  it("counts what was granted first, then the rest by kind", () => {
    expect(tallyText(nodeVotes(NAMES, VOTES))).to.equal("2/5 granted, 1 refused, 2 timed out");
  });

  it("has words for every kind of fault, and for silence", () => {
    const words: Record<FaultKind, string> = {
      timeout: "timed out",
      late: "not sent in time",
      disconnected: "disconnected",
      suspected: "not answering",
      quarantined: "quarantined",
      misconfigured: "misconfigured",
      implausible: "with an implausible fence",
      server: "failed",
      closed: "closed",
    };
    for (const [kind, word] of Object.entries(words)) {
      const votes = nodeVotes(["a:1"], [fault(kind as FaultKind)]);
      expect(tallyText(votes)).to.equal(`0/1 granted, 1 ${word}`);
    }
    expect(tallyText(nodeVotes(["a:1"], []))).to.equal("0/1 granted, 1 not waited for");
  });
});

describe("errors", () => {
  const votes = nodeVotes(NAMES, VOTES);
  const all: [QuorateError, string, string][] = [
    [new LockContendedError("invoice", votes), "QUORATE_CONTENDED", "LockContendedError"],
    [new WaitTimeoutError("invoice", votes, TRIED), "QUORATE_WAIT_TIMEOUT", "WaitTimeoutError"],
    [
      new QueueFullError("invoice", votes, TRIED, { waitingCount: 12, maxWaiters: 10 }),
      "QUORATE_QUEUE_FULL",
      "QueueFullError",
    ],
    [new QuorumUnreachableError("invoice", votes), "QUORATE_UNREACHABLE", "QuorumUnreachableError"],
    [new SplitError("invoice", votes), "QUORATE_SPLIT", "SplitError"],
    [
      new ValidityExhaustedError("invoice", votes),
      "QUORATE_VALIDITY_EXHAUSTED",
      "ValidityExhaustedError",
    ],
    [
      new ForeignKeyError("invoice", "lock:invoice", "list", votes),
      "QUORATE_FOREIGN_KEY",
      "ForeignKeyError",
    ],
    [new MisconfiguredError("invoice", votes), "QUORATE_MISCONFIGURED", "MisconfiguredError"],
    [
      new PermitsMismatchError("invoice", 3, 4, votes),
      "QUORATE_PERMITS_MISMATCH",
      "PermitsMismatchError",
    ],
  ];
  for (const [error, code, name] of all) {
    it(`${name} has a stable code, the votes, and the tally before what to do`, () => {
      expect(error).to.be.instanceOf(QuorateError).and.instanceOf(Error);
      expect(error).to.include({ code, name, lockName: "invoice" });
      expect(error.votes).to.equal(votes);
      expect(error.message).to.match(/[^.]: 2\/5 granted, 1 refused, 2 timed out\. [A-Z].*[^.]$/);
      expect(String(error)).to.include(`${name}: `);
    });
  }

  it("have codes that are all different", () => {
    const codes = [
      ...all.map(([error]) => error),
      new LockLostError("x", "expired"),
      new ClosedError(),
    ].map(({ code }) => code);
    expect(new Set(codes).size).to.equal(codes.length);
  });

  const [yes, no, none] = (["granted", "refused", "none"] as const).map((vote) => {
    return { node: "a:1", vote } as const;
  }) as [NodeVote, NodeVote, NodeVote];
  const down = { node: "a:1", vote: "fault", fault: "timeout", message: "no answer" } as const;
  for (const [title, votes, tally, remedy] of [
    [
      "was not waited for",
      [yes, no, none],
      "1/3 granted, 1 refused, 1 not waited for",
      "Try again",
    ],
    ["is down", [yes, no, down], "1/3 granted, 1 refused, 1 timed out", "Check the nodes"],
    ["is down, and one was not waited for", [yes, down, none], "1/3 granted, 1 timed out", "Check"],
    ["was not needed to know its holder", [no, no, none], "0/3 granted, 2 refused", "Check"],
  ] as const) {
    it(`say what helps where no quorum decided and a node ${title}`, () => {
      const { message } = new QuorumUnreachableError("invoice", votes);
      expect(message).to.include(`: ${tally}. ${remedy}`);
    });
  }

  it("say who holds the lock, by what most nodes say, and for how long", () => {
    const label = (text: string | undefined, freeInMs: number): NodeVote => ({
      node: "a:1",
      vote: "refused",
      freeInMs,
      ...(text === undefined ? {} : { label: text }),
    });
    const many = [label("x", 100), label("y", 300), label("y", 200), label(undefined, 50)];
    const error = new LockContendedError("invoice", many);
    expect(error).to.include({ holderLabel: "y", freeInMs: 300 });
    expect(error.message).to.include("by y (free in 300 ms unless renewed)");
    const nobody = new LockContendedError("invoice", [label(undefined, 50)]);
    expect(nobody.holderLabel).to.equal(undefined);
    expect(nobody.message).to.not.include("undefined");
  });

  it("say that readers hold the lock, if most nodes say so", () => {
    const refused = (more: Partial<NodeVote>): NodeVote => {
      return { node: "a:1", vote: "refused", freeInMs: 9, ...more };
    };
    const readers = refused({ holderMode: "shared" });
    const writer = refused({ label: "w" });
    const byReaders = new LockContendedError("invoice", [readers, readers, writer]);
    expect(byReaders).to.include({ holderMode: "shared", holderLabel: undefined });
    expect(byReaders.message).to.include("is held by readers (free in 9 ms unless");
    const byWriter = new LockContendedError("invoice", [readers, writer]);
    expect(byWriter).to.include({ holderMode: "exclusive", holderLabel: "w" });
  });

  it("say of permits how many are taken, by the node that knows of most", () => {
    const taken = (permits: readonly number[]) => takenVote(9, permits, 400);
    const some = nodeVotes(NAMES, [taken([0, 3]), taken([0, 3, 8]), fault()]);
    expect(some.map(({ takenPermits }) => takenPermits)).to.deep.equal([
      2,
      3,
      ...NAMES.slice(2).map(() => undefined),
    ]);
    const error = new LockContendedError("invoice", some);
    expect(error.message).to.include('"invoice" is held by 3 that have a permit (free in 400 ms');
    expect(error).to.include({ holderMode: "exclusive", holderLabel: undefined, freeInMs: 400 });
    const here = new LockContendedError("invoice", some, { ...TRIED, isHeldHere: true });
    expect(here.message).to.include("held by 3 that have a permit, here too (free in 400 ms");
  });

  it("tell how long was waited and how often tried", () => {
    const error = new WaitTimeoutError("invoice", votes, TRIED);
    expect(error).to.include({ waitedMs: 1_234, attemptCount: 7, isHeldHere: false });
    expect(error.message).to.match(
      /^timed out after 1234 ms \(7 attempts\) waiting for "invoice"; it is held by host:17 \(.*`waitMs`$/,
    );
    const own = new WaitTimeoutError("invoice", votes, { ...TRIED, isHeldHere: true });
    expect(own.isHeldHere).to.equal(true);
    expect(own.message).to.match(
      /; it is held by this lock manager \(free in .* unless renewed\): .*\. Raise `waitMs`; within its own callback, pass `reentrant: true`$/,
    );
  });

  it("tell whole ms, also where no node was asked", () => {
    expect(new OverloadedError("invoice", 9.705993000000035).waitedMs).to.equal(10);
  });

  it("of a held lock say what is left of its lease at least, and when it is free at the latest", () => {
    const left = (freeInMs: number, marginMs: number): readonly number[] => {
      const seen = nodeVotes(["a:1", "b:1"], [held(freeInMs), held(freeInMs - 10)]);
      const error = new LockContendedError("invoice", seen, { ...TRIED, marginMs });
      return [error.remainingMs, error.freeInMs];
    };
    expect(left(15_000, 5_000)).to.deep.equal([10_000, 15_000]);
    expect(left(4_000, 5_000)).to.deep.equal([0, 4_000]);
    expect(left(4_000, 0)).to.deep.equal([4_000, 4_000]);
  });

  it("name the misconfigured nodes, and what is wrong", () => {
    const broken = nodeVotes(NAMES, [fault("misconfigured", false), granted(1)]);
    expect(new MisconfiguredError("invoice", broken).message).to.include(
      "a:1: the test says misconfigured",
    );
  });

  it("of a loss say why, with the routine's own error as cause or its result", () => {
    const reasons = ["expired", "taken", "maxHold", "closed", "stolen", "released"] as const;
    for (const reason of reasons) {
      expect(new LockLostError("invoice", reason)).to.include({ reason, code: "QUORATE_LOST" });
    }
    const texts = reasons.map((reason) => new LockLostError("x", reason).message);
    expect(new Set(texts).size).to.equal(reasons.length);
    const cause = new Error("own");
    expect(new LockLostError("x", "expired", { cause }).cause).to.equal(cause);
    expect(new LockLostError("x", "expired", { result: undefined })).to.have.property(
      "result",
      undefined,
    );
    expect(new LockLostError("x", "expired")).to.not.have.property("cause");
  });

  it("of a loss are named as in the Web Locks API where the lock was stolen", () => {
    expect(new LockLostError("x", "stolen")).to.include({ name: "AbortError" });
    expect(new LockLostError("x", "taken")).to.include({ name: "LockLostError" });
  });

  it("of a loss have no result at all where the routine did not end", () => {
    expect(new LockLostError("x", "expired")).to.not.have.property("result");
  });
});

/** The longest names, labels and nodes that somebody may have, and what servers say at most. */
const LONG = {
  name: `tenant-0001:billing:invoice:${"0123456789abcdef-".repeat(40)}:close-of-month`,
  label: `worker-7f9c4b6d5-x2x8k.billing.svc.cluster.local:${"1".repeat(140)}`,
  node: "quorate-node-4.quorate-headless.production-eu-central-1.svc.cluster.local:6379",
  says: `READONLY You can't write against a read only replica. ${"Really, you can not. ".repeat(20)}`,
};
const LONG_VOTES: readonly NodeVote[] = Array.from({ length: 9 }, (_, at): NodeVote => {
  const node = LONG.node.replace("4", String(at));
  if (at < 2) return { node, vote: "granted" };
  if (at < 4) return { node, vote: "refused", label: LONG.label, freeInMs: 3_600_000 };
  const faults = ["timeout", "late", "misconfigured", "suspected", "implausible"] as const;
  const broken = faults[at - 4] ?? "timeout";
  return { node, vote: "fault", fault: broken, message: LONG.says };
});
const LONG_NODES = LONG_VOTES.map(({ node }) => ({
  ...{
    node,
    state: "misconfigured",
    detail: LONG.says,
    quarantineLeftMs: 0,
    clockOffsetMs: undefined,
  },
})) as readonly NodeStatus[];
const LONG_TRY = {
  waitedMs: 86_400_000,
  attemptCount: 12_345,
  isHeldHere: true,
  isReentrant: true,
  marginMs: 5_000,
  heldNames: [LONG.name, `${LONG.name}2`],
};
const LONG_HELD = {
  names: [LONG.name, `${LONG.name}2`],
  mode: "exclusive",
  fencingToken: Number.MAX_SAFE_INTEGER,
} as const;
const { name: LONG_NAME } = LONG;
const LOSSES = [
  "expired",
  "taken",
  "closed",
  "stolen",
  "maxHold",
  "released",
  "handedOver",
] as const;
const CAUSES: readonly LossCause[] = [
  { kind: "notRenewed" },
  { kind: "stalled", forMs: 86_400_000 },
  { kind: "queued" },
  {
    kind: "unconfirmed",
    votes: Array.from({ length: 9 }, () => faultVote("timeout", true, LONG.says)),
  },
];
const LONGEST: Readonly<Record<QuorateErrorCode, readonly QuorateError[]>> = {
  QUORATE_CONTENDED: [new LockContendedError(LONG_NAME, LONG_VOTES, LONG_TRY)],
  QUORATE_WAIT_TIMEOUT: [true, false].map(
    (isHeldHere) => new WaitTimeoutError(LONG_NAME, LONG_VOTES, { ...LONG_TRY, isHeldHere }),
  ),
  QUORATE_QUEUE_FULL: [
    new QueueFullError(LONG_NAME, LONG_VOTES, LONG_TRY, {
      ...{ waitingCount: 1_234_567, maxWaiters: 1_000_000 },
    }),
  ],
  QUORATE_UNREACHABLE: [new QuorumUnreachableError(LONG_NAME, LONG_VOTES)],
  QUORATE_SPLIT: [new SplitError(LONG_NAME, LONG_VOTES)],
  QUORATE_OVERLOADED: [new OverloadedError(LONG_NAME, 86_400_000)],
  QUORATE_VALIDITY_EXHAUSTED: [new ValidityExhaustedError(LONG_NAME, LONG_VOTES)],
  QUORATE_LOST: [
    ...LOSSES.map((reason) => new LockLostError(LONG_NAME, reason)),
    ...CAUSES.map((lossCause) => {
      const settings = leaseSettings({ ttlMs: 86_400_000 });
      const ended = { lossReason: "expired", lossCause, settings } as const;
      return lossErrorOf(
        LONG_NAME,
        ended,
        LONG_VOTES.map(({ node }) => node),
      );
    }),
  ],
  QUORATE_NOT_ADOPTABLE: (["taken", "expired"] as const).map(
    (reason) => new NotAdoptableError(LONG_NAME, reason, LONG_VOTES),
  ),
  QUORATE_FOREIGN_KEY: [
    new ForeignKeyError(LONG_NAME, `quorate:${LONG_NAME}`, "string-of-somebody", LONG_VOTES),
    new ForeignKeyError(LONG_NAME, `quorate:${LONG_NAME}`, "string without expiry", LONG_VOTES),
  ],
  QUORATE_MIXED_LAYOUT: [
    new MixedLayoutError(
      LONG_NAME,
      `quorate:${LONG_NAME}`,
      { found: "timestamp-seconds", expected: "timestamp" },
      LONG_VOTES,
    ),
  ],
  QUORATE_PERMITS_MISMATCH: [new PermitsMismatchError(LONG_NAME, 1_000, 1_001, LONG_VOTES)],
  QUORATE_MISCONFIGURED: [
    new MisconfiguredError(LONG_NAME, LONG_VOTES),
    new MisconfiguredError("", [], LONG_NODES),
    new MisconfiguredError("", [], LONG_NODES, {
      listDifference: `clients use ${LONG.node.repeat(9)} (on record)`,
    }),
    new MisconfiguredError(LONG_NAME, LONG_VOTES, [], {
      recordedTtl: { neededMs: 86_400_000, recordedMs: 3_600_000 },
    }),
  ],
  QUORATE_NOT_READY: [new NotReadyError(LONG_NODES, 5, 86_400_000)],
  QUORATE_CLOSED: [new ClosedError(LONG_NAME), new ClosedError()],
  QUORATE_REENTRY: (["self", "upgrade", "partial", "outside"] as const).map(
    (problem) => new ReentryError(LONG_NAME, problem, LONG_HELD),
  ),
  QUORATE_STALE_TOKEN: [
    new StaleTokenError(
      { name: LONG_NAME, fencingToken: Number.MAX_SAFE_INTEGER },
      Number.MAX_SAFE_INTEGER,
    ),
  ],
  QUORATE_MALFORMED_TOKEN: ["", "9".repeat(8_000), undefined].map(
    (value) => new MalformedTokenError("fencing-token", value, "an integer from 1 to 2^53 - 1"),
  ),
};

/** An instruction, or where the reason of each node is. */
const REMEDY =
  /^(Acquire|Ask|Call|Check|Do|Finish|Give|Hold|Keep|Let|Mend|Pass|Raise|Release|Send|Set|Stop|To|Try|Use|Wait|`error\.votes` has)\b[^\n…]{10,}[^.…]$/u;

describe("the text of an error, with the longest names and nodes", () => {
  for (const [code, errors] of Object.entries(LONGEST)) {
    it(`says in three lines of a terminal what happened and what to do: ${code}`, () => {
      for (const error of errors) {
        const { message } = error;
        expect(error).to.be.instanceOf(QuorateError).and.include({ code });
        expect(message.length, message).to.be.at.most(240);
        const sentences = message.split(". ");
        expect(sentences, message).to.have.length(2);
        const [happened = "", remedy = ""] = sentences;
        expect(happened).to.match(/^[^\n]{10,}[^.\n]$/u);
        expect(happened.match(/\(/gu)?.length, happened).to.equal(happened.match(/\)/gu)?.length);
        // What to do is whole, whatever happened.
        expect(remedy).to.match(REMEDY);
      }
    });
  }

  it("has both ends of a long name, and no half of a character", () => {
    const { message } = new LockLostError(LONG_NAME, "stolen");
    expect(message).to.match(/^"tenant-0001:billing:i.*…[^"]*:close-of-month" was stolen: /);
    const wide = new LockLostError(`a${"\u{1F512}".repeat(100)}`, "stolen").message;
    expect(Buffer.from(wide).toString()).to.equal(wide);
  });

  it("keeps what it leaves out in the fields", () => {
    const [error] = LONGEST.QUORATE_UNREACHABLE;
    expect(error).to.include({ lockName: LONG_NAME, votes: LONG_VOTES });
    expect(inspect(error)).to.include(LONG.node.replace("4", "8"));
  });
});

describe("the bases of errors", () => {
  it("tell a lock that others hold from an outage", () => {
    const busy = [
      ...LONGEST.QUORATE_CONTENDED,
      ...LONGEST.QUORATE_WAIT_TIMEOUT.slice(0, 1),
      ...LONGEST.QUORATE_QUEUE_FULL,
      ...LONGEST.QUORATE_WAIT_TIMEOUT.slice(1),
    ];
    const outages = [
      ...LONGEST.QUORATE_UNREACHABLE,
      ...LONGEST.QUORATE_SPLIT,
      ...LONGEST.QUORATE_OVERLOADED,
      ...LONGEST.QUORATE_VALIDITY_EXHAUSTED,
    ];
    for (const error of Object.values(LONGEST).flat()) {
      expect(error instanceof LockHeldError, error.name).to.equal(busy.includes(error));
      expect(error instanceof NoQuorumError, error.name).to.equal(outages.includes(error));
    }
    expect(HELD_CODES).to.have.members(busy.slice(0, 3).map(({ code }) => code));
    expect(NO_QUORUM_CODES).to.have.members(outages.map(({ code }) => code));
  });
});

describe("errorOf", () => {
  for (const { title, error, code } of [
    {
      title: "contention without waiting",
      error: errorWith("refused", [held(), held(), undefined]),
      code: "QUORATE_CONTENDED",
    },
    {
      title: "contention after waiting",
      error: errorWith("refused", [held(), held(), undefined], 500),
      code: "QUORATE_WAIT_TIMEOUT",
    },
    {
      title: "silence",
      error: errorWith("unreachable", [fault(), fault(), undefined]),
      code: "QUORATE_UNREACHABLE",
    },
    {
      title: "a split",
      error: errorWith("split", [granted(1), held(), undefined]),
      code: "QUORATE_SPLIT",
    },
    {
      title: "silence after waiting",
      error: errorWith("unreachable", [fault(), fault()], 500),
      code: "QUORATE_UNREACHABLE",
    },
    {
      title: "a grant too late",
      error: errorWith("exhausted", [granted(1), granted(1)]),
      code: "QUORATE_VALIDITY_EXHAUSTED",
    },
    {
      title: "a quorum of foreign keys",
      error: errorWith("refused", [foreign(), foreign(), held()]),
      code: "QUORATE_FOREIGN_KEY",
    },
    {
      title: "one foreign key of three",
      error: errorWith("refused", [foreign(), held(), held()]),
      code: "QUORATE_CONTENDED",
    },
    {
      title: "half of four foreign",
      error: errorWith("refused", [foreign(), foreign(), granted(1), granted(1)]),
      code: "QUORATE_FOREIGN_KEY",
    },
    {
      title: "a quorum of permits of another number",
      error: errorWith("refused", [OTHER_PERMITS, OTHER_PERMITS, held()], 0, PERMIT_KEYS),
      code: "QUORATE_PERMITS_MISMATCH",
    },
    {
      title: "permits of another number on one node of three",
      error: errorWith("refused", [OTHER_PERMITS, held(), held()], 0, PERMIT_KEYS),
      code: "QUORATE_CONTENDED",
    },
    {
      title: "foreign keys for a permit",
      error: errorWith("refused", [foreign(), foreign()], 0, PERMIT_KEYS),
      code: "QUORATE_FOREIGN_KEY",
    },
    {
      title: "a quorum misconfigured",
      error: errorWith("unreachable", [fault("misconfigured"), fault("misconfigured"), granted(1)]),
      code: "QUORATE_MISCONFIGURED",
    },
    {
      title: "one misconfigured of three",
      error: errorWith("unreachable", [fault("misconfigured"), fault(), granted(1)]),
      code: "QUORATE_UNREACHABLE",
    },
  ]) {
    it(`makes ${code} of ${title}`, () => {
      expect(error.code).to.equal(code);
      expect(error.lockName).to.equal("invoice");
    });
  }

  it("advises to join a lock that is held here only where calls can", () => {
    const kept = (votes: Vote[], keys: LockKind = keysOf("lock:", "invoice")): string => {
      const failure = { votes, quorumFreeInMs: 0, isOutrun: false, isContested: false };
      const tried = { waitMs: 30, waitedMs: 30, attemptCount: 1, marginMs: 0 };
      const isHeldHere = () => true;
      return errorOf(keys, { ...failure, kind: "refused" }, NAMES.slice(0, votes.length), {
        ...{ ...tried, isHeldHere },
      }).message;
    };
    const permits = takenVote(4, [0, 1], 400);
    const joinable = kept([held(), held()]);
    expect(joinable).to.match(/within its own callback, pass `reentrant: true`$/);
    for (const message of [
      kept([held(), held()], PERMIT_KEYS),
      kept([permits, permits], PERMIT_KEYS),
      kept([permits, permits]),
    ]) {
      expect(message).to.match(/\. Release it sooner, or raise `waitMs`$/);
    }
  });

  it("says how long it waited and how often it tried", () => {
    const error = errorWith("refused", [held(), held(), undefined], 500);
    expect(error).to.include({ waitedMs: 1_234, attemptCount: 3 });
    expect(error.message).to.include("1234 ms (3 attempts)");
  });

  it("names the key and what stands there", () => {
    expect(errorWith("refused", [foreign("hash")]).message)
      .to.include('"lock:invoice"')
      .and.include("hash");
  });
});
