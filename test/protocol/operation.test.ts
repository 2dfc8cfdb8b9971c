import { expect } from "chai";
import { faultVote } from "../../src/protocol/operation.js";
import { turnTextOf } from "../../src/protocol/waiter.js";

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
