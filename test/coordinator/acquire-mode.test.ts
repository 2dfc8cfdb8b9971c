import { expect } from "chai";
import {
  receiverOf,
  type AcquireMode,
  type Predecessor,
} from "../../src/coordinator/acquire-mode.js";
import type { VoteReceiver } from "../../src/coordinator/ports.js";
import type { Vote } from "../../src/protocol/operation.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

const WAITER = { inbox: "inbox", ticket: 5, turnMs: 20 };
const HANDED: Vote = { ...granted(8), isHandedOver: true };
const NOT_HANDED: Vote = { ...granted(8), isHandedOver: false };

/** A round, and the lock that is handed over, which tell what they receive, in order. */
function receivers() {
  const heard: [who: string, index: number, vote: Vote][] = [];
  const receiver = (who: string): VoteReceiver => ({
    onVote: (index, vote) => heard.push([who, index, vote]),
  });
  const from: Predecessor = {
    ...receiver("predecessor"),
    previous: { ownerId: "before", token: 7 },
    run: { startedMs: 0, isWaitedFor: false, lastTicket: 0, passOnCount: 0 },
    letGo: () => {},
  };
  return { heard, from, round: receiver("round") };
}

const PREVIOUS = { ownerId: "before", token: undefined };
const ADOPTION: AcquireMode = { as: "adoption", previous: PREVIOUS };

describe("The votes on a hand-over", () => {
  for (const vote of [HANDED, NOT_HANDED, granted(), held(), free(), foreign(), fault()]) {
    it(`go to the old lock before the round, as they are: ${JSON.stringify(vote)}`, () => {
      const { heard, from: predecessor, round } = receivers();
      const { previous } = predecessor;
      const mode: AcquireMode = { as: "passOn", waiter: WAITER, from: predecessor, previous };
      receiverOf(mode, round).onVote(2, vote);
      expect(heard).to.deep.equal([
        ["predecessor", 2, vote],
        ["round", 2, vote],
      ]);
    });
  }
});

describe("The votes on an adoption", () => {
  for (const { title, vote, isProof } of [
    { title: "a grant that replaced the previous owner", vote: HANDED, isProof: true },
    { title: "a grant of a key that was free", vote: NOT_HANDED, isProof: false },
    { title: "a grant that says nothing of the previous owner", vote: granted(8), isProof: false },
  ]) {
    it(`${isProof ? "count" : "count as refusals"}: ${title}`, () => {
      const { heard, round } = receivers();
      receiverOf(ADOPTION, round).onVote(1, vote);
      expect(heard).to.deep.equal([["round", 1, isProof ? vote : free()]]);
    });
  }

  for (const vote of [held(), foreign(), fault("timeout"), fault("late", false)]) {
    it(`count as they are unless they are grants: ${JSON.stringify(vote)}`, () => {
      const { heard, round } = receivers();
      receiverOf(ADOPTION, round).onVote(1, vote);
      expect(heard).to.deep.equal([["round", 1, vote]]);
    });
  }
});
