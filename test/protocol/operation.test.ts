import { expect } from "chai";
import { faultVote, newOperation, silentVote } from "../../src/protocol/operation.js";
import { turnTextOf } from "../../src/protocol/node-queue.js";
import { keysOf } from "../../src/kinds/exclusive.js";

describe("newOperation", () => {
  const about = { keys: keysOf("lock:", "a"), ownerId: "me", sendBeforeMs: 5 };

  it("gives all kinds the same members, so that the encoder reads objects of one shape", () => {
    const shapes = [
      newOperation("seal", { ...about, fence: 7 }),
      newOperation("acquire", { fence: 7, preempts: true, ttlMs: 1, ...about }),
      newOperation("release", { keepMs: 3, ...about, ttlMs: 1, fence: undefined }),
      newOperation("refresh", { places: [], ...about }),
      newOperation("inspect", about),
    ].map((operation) => Object.keys(operation).join());
    expect(new Set(shapes).size).to.equal(1);
  });

  it("takes what the kind has, and leaves the rest undefined", () => {
    const operation = newOperation("extend", { ...about, ttlMs: 1_000, fence: 7, keptMs: 9 });
    expect(operation).to.include({ kind: "extend", ...about, ttlMs: 1_000, fence: 7, keptMs: 9 });
    expect(operation).to.include({ marginMs: undefined, waiter: undefined, wire: undefined });
  });

  it("has no place for a detail of another kind: the compiler refuses to write and to read it", () => {
    const parts = { ttlMs: 1_000, fence: 7 };
    // @ts-expect-error only a refresh has places
    newOperation("acquire", { ...about, ...parts, places: [] });
    // @ts-expect-error a release lifts fences
    newOperation("release", { ...about, ttlMs: 1_000 });
    const seal = newOperation("seal", { ...about, fence: 7 });
    // @ts-expect-error no node keeps it for a time of its own
    expect(seal.ttlMs).to.equal(undefined);
  });
});

describe("faultVote", () => {
  it("carries why, whether it was sent, and the words for people", () => {
    expect(faultVote("timeout", true, "no answer")).to.deep.equal({
      kind: "fault",
      fault: "timeout",
      sent: true,
      message: "no answer",
    });
  });
});

describe("turnTextOf", () => {
  it("tells readers from writers, and both from those who want a permit", () => {
    const waiter = { inbox: "i", ticket: 1, turnMs: 25 };
    expect(turnTextOf(waiter)).to.equal("25");
    expect(turnTextOf({ ...waiter, placePrefix: "" })).to.equal("25");
    expect(turnTextOf({ ...waiter, placePrefix: "r" })).to.equal("r25");
    expect(turnTextOf({ ...waiter, placePrefix: "s" })).to.equal("s25");
  });
});

describe("silentVote", () => {
  it("is a timeout of what may be executed, told in whole milliseconds", () => {
    const message = "no answer within 20 ms";
    expect(silentVote(20.180682999999988)).to.deep.equal(faultVote("timeout", true, message));
  });
});

describe("newOperation", () => {
  it("gives an operation one number, and a refresh one for each of its places", () => {
    const about = { keys: keysOf("lock:", "a"), ownerId: "me", sendBeforeMs: 5 };
    const place = {
      keys: about.keys,
      waiter: { inbox: "i", ticket: 1, turnMs: 1 },
    };
    const acquire = newOperation("acquire", { fence: 7, ttlMs: 1, ...about });
    const refresh = newOperation("refresh", { ...about, places: [place, place, place] });
    expect([acquire, refresh].map(({ numberCount }) => numberCount)).to.deep.equal([1, 3]);
  });
});
