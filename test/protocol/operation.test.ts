import { expect } from "chai";
import { faultVote } from "../../src/protocol/operation.js";

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
