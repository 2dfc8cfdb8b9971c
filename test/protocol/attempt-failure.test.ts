import { expect } from "chai";
import { failureOf, isHopeless, unaskedFailure } from "../../src/protocol/attempt-failure.js";
import type { Vote, Votes } from "../../src/protocol/operation.js";
import { fault, foreign, granted, held } from "../support/votes.js";

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
