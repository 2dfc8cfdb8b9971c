import { expect } from "chai";
import {
  ClosedError,
  LockContendedError,
  LockLostError,
  QuorateError,
  QuorumUnreachableError,
  ValidityExhaustedError,
  WaitTimeoutError,
} from "../../src/api/errors.js";
import {
  ForeignKeyError,
  MisconfiguredError,
  PermitsMismatchError,
} from "../../src/api/node-errors.js";
import { nodeVotes, tallyText, type NodeVote } from "../../src/api/tally.js";
import { errorOf } from "../../src/manager/outcome-error.js";
import type { FaultKind, Vote } from "../../src/protocol/operation.js";
import { fault, foreign, granted, held } from "../support/votes.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { permitLock } from "../../src/kinds/permit.js";
import { slotsText } from "../support/slots-text.js";

const NAMES = ["a:1", "b:1", "c:1", "d:1", "e:1"];

const VOTES: (Vote | undefined)[] = [
  granted(7),
  granted(7),
  held(400, "host:17"),
  fault("timeout"),
  fault("timeout"),
];

const PERMIT_KEYS = permitLock(keysOf("lock:", "invoice"), 4);
const OTHER_PERMITS = foreign("semaphore:3");

const errorWith = (
  kind: "refused" | "unreachable" | "exhausted",
  votes: (Vote | undefined)[],
  waitMs = 0,
  keys: LockKind = keysOf("lock:", "invoice"),
): QuorateError => {
  const failure = { kind, votes, quorumFreeInMs: 0, isOutrun: false };
  const tried = { waitMs, waitedMs: 1_234.4, attemptCount: 3 };
  return errorOf(keys, failure, NAMES.slice(0, votes.length), tried);
};

describe("nodeVotes", () => {
  it("says node by node what was voted, and why not", () => {
    expect(
      nodeVotes(NAMES.slice(0, 4), [granted(7), held(400, "host:17"), fault("timeout")]),
    ).to.deep.equal([
      { node: "a:1", vote: "granted" },
      { node: "b:1", vote: "refused", remainingMs: 400, label: "host:17" },
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
    expect(tallyText(nodeVotes(["a:1"], []))).to.equal("0/1 granted");
  });
});

describe("errors", () => {
  const votes = nodeVotes(NAMES, VOTES);
  const all: [QuorateError, string, string][] = [
    [new LockContendedError("invoice", votes), "QUORATE_CONTENDED", "LockContendedError"],
    [new WaitTimeoutError("invoice", votes, 500, 7), "QUORATE_WAIT_TIMEOUT", "WaitTimeoutError"],
    [new QuorumUnreachableError("invoice", votes), "QUORATE_UNREACHABLE", "QuorumUnreachableError"],
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
    it(`${name} has a stable code, the votes, and the tally at the end of its message`, () => {
      expect(error).to.be.instanceOf(QuorateError).and.instanceOf(Error);
      expect(error).to.include({ code, name, lockName: "invoice" });
      expect(error.votes).to.equal(votes);
      expect(error.message).to.match(/: 2\/5 granted, 1 refused, 2 timed out$/);
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

  it("say who holds the lock, by what most nodes say, and for how long", () => {
    const label = (text: string | undefined, remainingMs: number): NodeVote => ({
      node: "a:1",
      vote: "refused",
      remainingMs,
      ...(text === undefined ? {} : { label: text }),
    });
    const many = [label("x", 100), label("y", 300), label("y", 200), label(undefined, 50)];
    const error = new LockContendedError("invoice", many);
    expect(error).to.include({ holderLabel: "y", remainingMs: 300 });
    expect(error.message).to.include("by y").and.include("300 ms");
    const nobody = new LockContendedError("invoice", [label(undefined, 50)]);
    expect(nobody.holderLabel).to.equal(undefined);
    expect(nobody.message).to.not.include("undefined");
  });

  it("say that readers hold the lock, if most nodes say so", () => {
    const refused = (more: Partial<NodeVote>): NodeVote => {
      return { node: "a:1", vote: "refused", remainingMs: 9, ...more };
    };
    const readers = refused({ holderMode: "shared" });
    const writer = refused({ label: "w" });
    const byReaders = new LockContendedError("invoice", [readers, readers, writer]);
    expect(byReaders).to.include({ holderMode: "shared", holderLabel: undefined });
    expect(byReaders.message).to.include("is held by readers (at most 9 ms left");
    const byWriter = new LockContendedError("invoice", [readers, writer]);
    expect(byWriter).to.include({ holderMode: "exclusive", holderLabel: "w" });
  });

  it("say of permits how many are taken, by the node that knows of most", () => {
    const taken = (slots: readonly number[]) => {
      return { ...held(400), takenSlots: slotsText(new Set(slots), 9) };
    };
    const some = nodeVotes(NAMES, [taken([0, 3]), taken([0, 3, 8]), fault()]);
    expect(some.map(({ takenPermits }) => takenPermits)).to.deep.equal([
      2,
      3,
      ...NAMES.slice(2).map(() => undefined),
    ]);
    const error = new LockContendedError("invoice", some);
    expect(error.message).to.include('"invoice" is held by 3 that have a permit (at most 400 ms');
    expect(error).to.include({ holderMode: "exclusive", holderLabel: undefined, remainingMs: 400 });
  });

  it("tell how long was waited and how often tried", () => {
    const error = new WaitTimeoutError("invoice", votes, 1_234.4, 7);
    expect(error).to.include({ waitedMs: 1_234.4, attemptCount: 7 });
    expect(error.message).to.include(
      'timed out after 1234 ms (7 attempts) waiting for "invoice"; it is held by',
    );
    expect(error.isHeldHere).to.equal(false);
    const own = new WaitTimeoutError("invoice", votes, 1, 1, true);
    expect(own.isHeldHere).to.equal(true);
    expect(own.message).to.include(
      "which this lock manager already holds (to re-enter it, pass `reentrant: true`); it is held by",
    );
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

  it("says how long it waited and how often it tried", () => {
    const error = errorWith("refused", [held(), held(), undefined], 500);
    expect(error).to.include({ waitedMs: 1_234.4, attemptCount: 3 });
    expect(error.message).to.include("1234 ms (3 attempts)");
  });

  it("names the key and what stands there", () => {
    expect(errorWith("refused", [foreign("hash")]).message)
      .to.include('"lock:invoice"')
      .and.include("hash");
  });
});
