import { expect } from "chai";
import {
  NEWCOMER,
  previousOwnerOf,
  receiverFor,
  type AcquireMode,
  type Predecessor,
} from "../../src/coordinator/acquire-mode.js";
import type { VoteReceiver } from "../../src/coordinator/ports.js";
import type { PreviousOwner, Vote } from "../../src/protocol/operation.js";
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

const { from } = receivers();
const PASS_ON: AcquireMode = { as: "passOn", waiter: WAITER, from };
const ADOPTION: AcquireMode = { as: "adoption", previousId: "before" };
const WITHOUT_PREVIOUS: readonly AcquireMode[] = [
  ...[NEWCOMER, { as: "joiner" }, { as: "preempt" }, { as: "waiter", waiter: WAITER }],
] as const;

describe("The mode of an acquire", () => {
  const OWNERS: readonly [AcquireMode, PreviousOwner | undefined][] = [
    ...WITHOUT_PREVIOUS.map((mode): [AcquireMode, undefined] => [mode, undefined]),
    [PASS_ON, { ownerId: "before", token: 7 }],
    // Another process has the token.
    [ADOPTION, { ownerId: "before", token: undefined }],
  ];
  for (const [mode, previous] of OWNERS) {
    it(`${previous === undefined ? "replaces no owner" : "replaces one owner"}: ${mode.as}`, () => {
      expect(previousOwnerOf(mode)).to.deep.equal(previous);
    });
  }

  for (const mode of WITHOUT_PREVIOUS) {
    it(`leaves the votes to the round: ${mode.as}`, () => {
      const { round } = receivers();
      expect(receiverFor(mode, round)).to.equal(round);
    });
  }
});

describe("The votes on a hand-over", () => {
  for (const vote of [HANDED, NOT_HANDED, granted(), held(), free(), foreign(), fault()]) {
    it(`go to the old lock before the round, as they are: ${JSON.stringify(vote)}`, () => {
      const { heard, from: predecessor, round } = receivers();
      const mode: AcquireMode = { as: "passOn", waiter: WAITER, from: predecessor };
      receiverFor(mode, round).onVote(2, vote);
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
      receiverFor(ADOPTION, round).onVote(1, vote);
      expect(heard).to.deep.equal([["round", 1, isProof ? vote : free()]]);
    });
  }

  for (const vote of [held(), foreign(), fault("timeout"), fault("late", false)]) {
    it(`count as they are unless they are grants: ${JSON.stringify(vote)}`, () => {
      const { heard, round } = receivers();
      receiverFor(ADOPTION, round).onVote(1, vote);
      expect(heard).to.deep.equal([["round", 1, vote]]);
    });
  }
});
