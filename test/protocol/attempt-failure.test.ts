import { expect } from "chai";
import * as fc from "fast-check";
import {
  failureOf,
  isContention,
  isHopeless,
  isLossReasonKnown,
  learn,
  lingerMs,
  lossReason,
  sharesOf,
  unaskedFailure,
  type LossReason,
} from "../../src/protocol/attempt-failure.js";
import type { Vote, Votes } from "../../src/protocol/operation.js";
import { quorumSize } from "../../src/protocol/quorum.js";
import { fault, foreign, granted, held, votesOf } from "../support/votes.js";

const heldFor = (remainingMs: number): Vote => ({ ...held(), remainingMs });

describe("failureOf", () => {
  const rows: readonly [votes: Votes, quorumFreeInMs: number][] = [
    [[heldFor(50), heldFor(20), heldFor(90)], 50],
    [[granted(7), heldFor(20), heldFor(90)], 20],
    [[granted(7), granted(7), fault("timeout")], 0],
    [[heldFor(50), fault("timeout"), undefined], Number.POSITIVE_INFINITY],
    [[foreign(), foreign(), heldFor(20)], Number.POSITIVE_INFINITY],
  ];
  for (const [votes, quorumFreeInMs] of rows) {
    const said = votes.map((vote) => vote?.kind ?? "silent").join(", ");
    it(`says when a quorum can be free by expiry: ${said}`, () => {
      expect(failureOf("refused", votes)).to.deep.equal({
        ...{ kind: "refused", votes, quorumFreeInMs, isOutrun: false, isContested: false },
      });
    });
  }

  it("counts from when an overdue holder is taken over", () => {
    const votes = [{ ...heldFor(500), overdueInMs: 30 } as Vote, heldFor(40), heldFor(600)];
    expect(failureOf("refused", votes).quorumFreeInMs).to.equal(40);
  });
});

describe("isContention", () => {
  const down = fault("timeout");
  const no = { isContested: false, isOutrun: false };
  for (const [title, kind, votes, is, more] of [
    ["one has a quorum", "refused", [held(), held(), down], true, {}],
    ["nobody can have one", "split", [held(), granted(7), held()], true, {}],
    [
      "a node that is down may be the third of one",
      "unreachable",
      [held(), granted(7), down],
      true,
      {},
    ],
    ["a silent node may be", "unreachable", [held(), granted(7), undefined], true, {}],
    ["it was split", "unreachable", [held(), undefined, undefined], true, { isContested: true }],
    ["others were faster", "exhausted", [granted(7), granted(7), down], true, { isOutrun: true }],
    ["no quorum answers", "unreachable", [held(), down, down], false, {}],
    ["nobody answers", "unreachable", [down, down, down], false, {}],
    ["its token was not stored", "unreachable", [granted(7), granted(7), down], false, {}],
    ["no validity was left", "exhausted", [granted(7), granted(7), held()], false, {}],
    ["it was not sent", "queued", [undefined, undefined, undefined], false, {}],
  ] as const) {
    it(`${is ? "is one" : "is none"} where ${title}`, () => {
      expect(isContention({ kind, votes, ...no, ...more })).to.equal(is);
    });
  }
});

describe("learn", () => {
  const [byA, byB] = [
    { ...held(), holder: "a" },
    { ...held(), holder: "b" },
  ];
  for (const [title, kind, votes, vote, becomes] of [
    ["one other had a quorum", "unreachable", [byA, undefined, byB], byA, "refused"],
    ["none had", "unreachable", [byA, undefined, byB], granted(7), "split"],
    ["still unknown", "unreachable", [byA, undefined, byB], fault("timeout"), "unreachable"],
    ["its time was up before", "unreachable", [byA, fault("timeout"), byB], byA, "unreachable"],
    ["the reason was another", "exhausted", [granted(7), undefined, byA], byA, "exhausted"],
  ] as const) {
    it(`has the reason by an answer that was not waited for: ${title}`, () => {
      const failure = failureOf(kind, votes, false, true);
      const before = [...votes];
      learn(failure, 1, vote);
      expect(failure.kind).to.equal(becomes);
      expect(votes, "of its round").to.deep.equal(before);
    });
  }

  it("has it by its own votes where the nodes were not split", () => {
    const failure = failureOf("unreachable", [byA, undefined, byB]);
    learn(failure, 1, byA);
    expect(failure.kind).to.equal("unreachable");
  });
});

describe("unaskedFailure", () => {
  it("has a silent vote of every node, and is not hopeless", () => {
    const failure = unaskedFailure("queued", 3);
    expect(failure.votes).to.deep.equal([undefined, undefined, undefined]);
    expect(failure.quorumFreeInMs).to.equal(Number.POSITIVE_INFINITY);
    expect(isHopeless(failure.votes)).to.equal(false);
  });
});

describe("isHopeless", () => {
  it("needs more nodes with foreign data or misconfiguration than can be done without", () => {
    const [bad, worse] = [foreign(), fault("misconfigured")];
    expect(isHopeless([bad, held(), held()])).to.equal(false);
    expect(isHopeless([bad, worse, held()])).to.equal(true);
    expect(isHopeless([bad, worse, held(), held(), held()])).to.equal(false);
    expect(isHopeless([fault("timeout"), fault("disconnected"), held()])).to.equal(false);
  });
});

describe("sharesOf", () => {
  it("counts the nodes of each, of somebody who is no single client, and of nobody", () => {
    expect(sharesOf(votesOf("+aa?cx.."))).to.deep.equal({
      ...{ grantedCount: 1, refusedCount: 4, mostCount: 2, silentCount: 2 },
      refusedCounts: new Map([
        ["aaaaaa", 2],
        [undefined, 1],
        ["cccccc", 1],
      ]),
    });
  });
});

describe("lossReason", () => {
  const rows: readonly [votes: string, reason: LossReason][] = [
    ["aa+", "refused"],
    ["??+", "refused"],
    ["aax", "refused"],
    ["aaa+", "refused"],
    ["+ac", "split"],
    ["aacc", "split"],
    ["++ac.", "split"],
    ["+acde", "split"],
    // What the silent node says might make it a quorum.
    ["+a.", "unreachable"],
    ["+ax", "unreachable"],
    ["aa+.", "unreachable"],
    ["aa+x", "unreachable"],
    ["aaxx+", "unreachable"],
    // Too few answered.
    ["xx+", "unreachable"],
    ["ax", "unreachable"],
    ["..c", "unreachable"],
  ];
  for (const [text, reason] of rows) {
    it(`${text}: ${reason}`, () => expect(lossReason(votesOf(text))).to.equal(reason));
  }

  it("is known exactly when no answer of the silent nodes can change it", () => {
    const anyVotes = fc.array(fc.constantFrom("+", "a", "c", "?", "x", "."), {
      minLength: 1,
      maxLength: 5,
    });
    const endsOf = (marks: readonly string[]): string[][] => {
      const at = marks.indexOf(".");
      if (at === -1) return [[...marks]];
      return ["+", "a", "c", "?", "d", "x"].flatMap((mark) => endsOf(marks.with(at, mark)));
    };
    let openCount = 0;
    fc.assert(
      fc.property(anyVotes, (marks) => {
        const isLost = endsOf(marks).every(
          (end) => end.filter((mark) => mark === "+").length < quorumSize(end.length),
        );
        if (!isLost) return;
        const reasons = new Set(endsOf(marks).map((end) => lossReason(votesOf(end.join("")))));
        const isKnown = isLossReasonKnown(votesOf(marks.join("")));
        expect(isKnown, [...reasons].join(", ")).to.equal(reasons.size === 1);
        if (!isKnown) openCount++;
      }),
    );
    expect(openCount).to.be.above(0);
  });
});

describe("lingerMs", () => {
  it("lets one that is refused wait for the others a tenth of the node timeout, and 10 ms at most", () => {
    expect([1, 50, 100, 1_000].map(lingerMs)).to.deep.equal([0.1, 5, 10, 10]);
  });
});
