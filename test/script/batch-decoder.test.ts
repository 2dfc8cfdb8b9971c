import { expect } from "chai";
import { operation } from "../support/channel-bench.js";
import { hasOneShape } from "../support/same-shape.js";
import { decodeReply } from "../../src/script/batch-decoder.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { severalLock } from "../../src/kinds/several.js";

/** Of the call. */
const NUMBER = 281_474_976_710_655;

describe("decodeReply", () => {
  const acquire = operation("acquire", "me", { fence: 55 });
  const release = operation("release", "me", { fence: 55 });
  const one = (answer: unknown, asked = acquire) => {
    const reply = decodeReply([NUMBER, answer], [asked]);
    return reply.kind === "votes" ? reply.votes[0] : undefined;
  };

  for (const { title, answer, vote } of [
    { title: "a grant with the proposal", answer: 0, vote: { kind: "granted", fence: 55 } },
    {
      title: "a grant with another fence",
      answer: "1700000000000000",
      vote: { kind: "granted", fence: 1_700_000_000_000_000 },
    },
    {
      title: "a holder with a label",
      answer: "held 400   host 17",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: "host 17",
        holder: undefined,
        signs: "",
      },
    },
    {
      title: "a holder without a sign",
      answer: "held 400 x9_Kq2  host 17",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: "host 17",
        holder: "x9_Kq2",
        signs: "",
      },
    },
    {
      title: "a holder for whom many wait",
      answer: "waited 12 held 400 x9_Kq2  host 17",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: "host 17",
        holder: "x9_Kq2",
        signs: "",
        waitingCount: 12,
      },
    },
    {
      title: "a holder without",
      answer: "held 400 x9_Kq2 900~x9_Kq2@1700 ",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: undefined,
        holder: "x9_Kq2",
        signs: "900~x9_Kq2@1700",
      },
    },
    {
      title: "a permit of another",
      answer: "taken 400 7 0-1,9 yyyyyy 900~x9_Kq2@1700;40~yyyyyy@~1800",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: undefined,
        takenPermits: 7,
        freePermits: [0, 1, 9],
        holder: "yyyyyy",
        signs: "900~x9_Kq2@1700;40~yyyyyy@~1800",
      },
    },
    {
      title: "a free key",
      answer: "free",
      vote: { kind: "refused", reason: "free", remainingMs: 0, label: undefined },
    },
    {
      title: "somebody's data",
      answer: "foreign 1 list",
      vote: { kind: "refused", reason: "foreign", remainingMs: 0, label: "list" },
    },
    {
      title: "a name that readers have",
      answer: "shared 400 900~x9_Kq2@1700",
      vote: {
        kind: "refused",
        reason: "held",
        remainingMs: 400,
        label: undefined,
        isShared: true,
        signs: "900~x9_Kq2@1700",
      },
    },
    {
      title: "a lock that was ended",
      answer: "ended",
      vote: { kind: "refused", reason: "ended", remainingMs: 0, label: undefined },
    },
    {
      title: "a grant to one who waits",
      answer: "granted 77 1 0",
      vote: { kind: "granted", fence: 77, isHandedOver: true, isWaitedFor: false },
    },
  ]) {
    it(`reads ${title}`, () => {
      expect(one(answer)).to.deep.equal(vote);
    });
  }

  it("reads a number as that of the call, and as a grant of each", () => {
    expect(decodeReply(NUMBER, [acquire, release])).to.deep.equal({
      kind: "votes",
      number: NUMBER,
      votes: [
        { kind: "granted", fence: 55 },
        { kind: "granted", fence: 0 },
      ],
      isSameIncarnation: true,
    });
  });

  for (const reply of [
    ...[String(NUMBER), null, undefined, "OK", []],
    ...[
      [NUMBER],
      [NUMBER, 0],
      [NUMBER, 0, 0, 0],
      [String(NUMBER), 0, 0],
      [null, 0, 0],
      [[NUMBER], 0, 0],
    ],
  ]) {
    it(`reads no number and no vote in ${JSON.stringify(reply)}`, () => {
      expect(decodeReply(reply, [acquire, release])).to.deep.equal({
        kind: "votes",
        number: undefined,
        votes: [],
        isSameIncarnation: true,
      });
    });
  }

  it("names the key of a set that holds somebody's data", () => {
    const keys = severalLock([keysOf("lock:", "a"), keysOf("lock:", "b")]);
    const asked = operation("acquire", "me", { keys });
    const vote = { kind: "refused", reason: "foreign", remainingMs: 0 };
    const text = "string without expiry";
    expect(one(`foreign 2 ${text}`, asked)).to.deep.equal({ ...vote, label: text, key: "lock:b" });
    expect(one(`foreign 1 ${text}`, asked)).to.deep.equal({ ...vote, label: text });
  });

  it("reads for how long each name of a refresh is blocked, whatever stands in its key", () => {
    const names = ["a", "b", "c", "d"].map((name) => keysOf("lock:", name));
    const waiter = { inbox: "i", ticket: 1, turnMs: 20 };
    const refresh = operation("refresh", "i", { places: names.map((keys) => ({ keys, waiter })) });
    const answer = "places 1700000000123 250,0,,60000 9~x9_Kq2@1700,,a b c,ÿ.";
    const vote = one(answer, refresh);
    if (vote?.kind !== "granted" || vote.looks === undefined) return expect.fail("no looks");
    const { nowMs, blockedMs, signs } = vote.looks;
    expect([nowMs, [...blockedMs]]).to.deep.equal([
      1_700_000_000_123,
      [250, 0, Number.POSITIVE_INFINITY, 60_000],
    ]);
    expect(signs.split(",")).to.deep.equal(["9~x9_Kq2@1700", "", "a b c", "ÿ."]);
  });

  it("gives no fence where none was asked for", () => {
    const plain = operation("acquire", "me", { fence: undefined });
    for (const asked of [release, plain]) {
      expect(one(0, asked)).to.deep.equal({ kind: "granted", fence: 0 });
    }
  });

  it("reads a node that forgot as a fault without effect", () => {
    expect(one("forgot")).to.include({ kind: "fault", fault: "quarantined", sent: false });
  });

  it("reads an error as a fault that may have had an effect", () => {
    expect(one("error OOM")).to.include({ fault: "server", sent: true, message: "OOM" });
  });

  it("reads a server that may not write any more as an error of the whole batch", () => {
    const reply = decodeReply([NUMBER, 0, "error READONLY You can't write"], [acquire, acquire]);
    expect(reply).to.include({ kind: "error", isExecuted: "unknown" });
  });

  it("takes an answer it does not know for a fault, never for a grant", () => {
    for (const answer of [
      1,
      7,
      -1,
      "",
      "G",
      "heldx 1 ",
      "FREE",
      "1x",
      " 1",
      "-1",
      null,
      undefined,
      [1],
    ]) {
      expect(one(answer), String(answer)).to.include({ fault: "server", sent: true });
    }
  });

  for (const answer of [
    ...[
      "held 400 x9_Kq2 1000~ab@7 host",
      "shared 400 1000~ab@7",
      "taken 400 2 0-2,5 x9_Kq2 1000~ab@7",
    ],
    ...[
      "waited 12 held 400 x9_Kq2  host",
      "name 1 held 400 x9_Kq2  host",
      "resized 5@1 taken 400 2 0-2,5 x9_Kq2 -",
    ],
  ]) {
    it(`makes votes of one shape: ${answer}`, () => {
      expect(hasOneShape(() => one(answer) ?? {})).to.equal(true);
    });
  }

  it("keeps the order of the operations", () => {
    const reply = decodeReply([NUMBER, "7", "free", 0], [acquire, release, acquire]);
    expect(reply).to.have.property("votes").that.has.length(3);
    expect(reply).to.have.nested.property("votes[0].fence", 7);
    expect(reply).to.have.nested.property("votes[1].reason", "free");
    expect(reply).to.have.nested.property("votes[2].fence", 55);
  });

  it("tells whether the incarnation was the sender's", () => {
    const number = NUMBER;
    for (const isSameIncarnation of [true, false]) {
      const head = isSameIncarnation ? number : -number;
      expect(decodeReply([head, "free"], [release])).to.include({ number, isSameIncarnation });
    }
  });
});
