import { expect } from "chai";
import { afterPrevious } from "../../src/coordinator/acquire-mode.js";
import type { VoteReceiver } from "../../src/coordinator/ports.js";
import type { Vote } from "../../src/protocol/operation.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

const HANDED: Vote = { ...granted(8), isHandedOver: true };
const NOT_HANDED: Vote = { ...granted(8), isHandedOver: false };

/** A round that tells what it receives, in order. */
function listening() {
  const heard: [index: number, vote: Vote][] = [];
  const round: VoteReceiver = { onVote: (index, vote) => heard.push([index, vote]) };
  return { heard, round };
}

describe("The votes on an adoption", () => {
  for (const { title, vote, isProof } of [
    { title: "a grant that replaced the previous owner", vote: HANDED, isProof: true },
    { title: "a grant of a key that was free", vote: NOT_HANDED, isProof: false },
    { title: "a grant that says nothing of the previous owner", vote: granted(8), isProof: false },
  ]) {
    it(`${isProof ? "count" : "count as refusals"}: ${title}`, () => {
      const { heard, round } = listening();
      afterPrevious(round).onVote(1, vote);
      expect(heard).to.deep.equal([[1, isProof ? vote : free()]]);
    });
  }

  for (const vote of [held(), foreign(), fault("timeout"), fault("late", false)]) {
    it(`count as they are unless they are grants: ${JSON.stringify(vote)}`, () => {
      const { heard, round } = listening();
      afterPrevious(round).onVote(1, vote);
      expect(heard).to.deep.equal([[1, vote]]);
    });
  }
});
