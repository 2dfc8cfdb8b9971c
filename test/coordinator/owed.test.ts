import { expect } from "chai";
import { MAX_NODE_COUNT, owedNodes } from "../../src/coordinator/owed.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

describe("owedNodes", () => {
  for (const { title, vote, isOwed } of [
    { title: "granted", vote: granted(7), isOwed: true },
    { title: "is silent", vote: undefined, isOwed: true },
    { title: "timed out", vote: fault("timeout", true), isOwed: true },
    { title: "failed after it was sent", vote: fault("server", true), isOwed: true },
    { title: "was never sent anything", vote: fault("suspected", false), isOwed: false },
    { title: "refused, held by another", vote: held(), isOwed: false },
    { title: "refused, with somebody's data", vote: foreign(), isOwed: false },
    { title: "refused, free", vote: free(), isOwed: false },
  ]) {
    it(`${isOwed ? "owes a release to" : "owes nothing to"} a node that ${title}`, () => {
      expect(owedNodes([held(), vote, held()])).to.equal(isOwed ? 0b010 : 0);
    });
  }

  it("keeps up to the largest node count in a positive integer", () => {
    const all = owedNodes(Array.from({ length: MAX_NODE_COUNT }, () => undefined));
    expect(all).to.equal(2 ** MAX_NODE_COUNT - 1);
  });
});
