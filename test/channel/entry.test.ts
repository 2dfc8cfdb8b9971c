import { expect } from "chai";
import { answer, answerUnknown, refuseUnsent, type Entry } from "../../src/channel/entry.js";
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

  it("do not take a second sending that found nothing for proof that nothing was there", () => {
    const votes: Vote[] = [];
    const entry: Entry = {
      operation: operation("release", "a"),
      receiver: { onVote: (_, vote) => votes.push(vote) },
      index: 0,
      mayHold: true,
      wasSent: false,
    };
    const granted: Vote = { kind: "granted", fence: 0 };
    const free: Vote = { kind: "refused", reason: "free", remainingMs: 0, label: undefined };
    answer(entry, free);
    answer({ ...entry, wasSent: true }, granted);
    answer({ ...entry, wasSent: true }, free);
    expect(votes.slice(0, 2)).to.deep.equal([free, granted]);
    expect(votes[2]).to.include({ kind: "fault", fault: "disconnected", sent: true });
  });
});
