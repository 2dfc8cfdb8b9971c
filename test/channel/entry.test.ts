import { expect } from "chai";
import { answerUnknown, refuseUnsent, type Entry } from "../../src/channel/entry.js";
import type { Vote } from "../../src/protocol/operation.js";
import { operation } from "../support/channel-bench.js";

describe("answers of the channel itself", () => {
  it("tell apart what was certainly not sent from what nobody knows of", () => {
    const votes: [number, Vote][] = [];
    const entry: Entry = {
      operation: operation("acquire", "a"),
      receiver: { onVote: (index, vote) => votes.push([index, vote]) },
      index: 2,
      mayHold: false,
      wasSent: false,
    };
    refuseUnsent(entry, "suspected", "not sent");
    answerUnknown(entry, "disconnected", "who knows");
    expect(votes).to.deep.equal([
      [2, { kind: "fault", fault: "suspected", sent: false, message: "not sent" }],
      [2, { kind: "fault", fault: "disconnected", sent: true, message: "who knows" }],
    ]);
  });
});
