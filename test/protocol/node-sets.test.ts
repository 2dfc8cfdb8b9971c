import { expect } from "chai";
import {
  MAX_NODE_COUNT,
  nodeCountOf,
  nodesThatDidNotGrant,
  nodesThatDidNotRefuse,
  nodesThatGranted,
  nodesThatMayHold,
  nodesThatRefused,
} from "../../src/protocol/node-sets.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

describe("nodesThatMayHold", () => {
  for (const { title, vote, mayHold } of [
    { title: "granted", vote: granted(7), mayHold: true },
    { title: "is silent", vote: undefined, mayHold: true },
    { title: "timed out", vote: fault("timeout", true), mayHold: true },
    { title: "failed after it was sent", vote: fault("server", true), mayHold: true },
    { title: "was never sent anything", vote: fault("suspected", false), mayHold: false },
    { title: "refused, held by another", vote: held(), mayHold: false },
    { title: "refused, with somebody's data", vote: foreign(), mayHold: false },
    { title: "refused, free", vote: free(), mayHold: false },
  ]) {
    it(`${mayHold ? "owes a release to" : "owes nothing to"} a node that ${title}`, () => {
      expect(nodesThatMayHold([held(), vote, held()])).to.equal(mayHold ? 0b010 : 0);
    });
  }

  it("keeps up to the largest node count in a positive integer", () => {
    const all = nodesThatMayHold(Array.from({ length: MAX_NODE_COUNT }, () => undefined));
    expect(all).to.equal(2 ** MAX_NODE_COUNT - 1);
  });
});

describe("nodesThatDidNotRefuse", () => {
  for (const { title, votes, nodes } of [
    { title: "none, where all have refused", votes: [held(), free(), foreign()], nodes: 0 },
    { title: "those that are silent", votes: [undefined, held(), undefined], nodes: 0b101 },
    { title: "those that failed or granted", votes: [fault(), held(), granted(7)], nodes: 0b101 },
  ]) {
    it(`are ${title}`, () => {
      expect(nodesThatDidNotRefuse(votes)).to.equal(nodes);
    });
  }
});

describe("the votes of a round, as sets of nodes", () => {
  const votes = [granted(7), held(), undefined, fault(), foreign()];

  it("are those that granted, or did not, and those that refused", () => {
    expect(nodesThatGranted(votes)).to.equal(0b00001);
    expect(nodesThatDidNotGrant(votes)).to.equal(0b11110);
    expect(nodesThatRefused(votes)).to.equal(0b10010);
  });
});

describe("nodeCountOf", () => {
  for (const [mask, count] of [
    [0, 0],
    [0b1, 1],
    [0b10110, 3],
    [2 ** MAX_NODE_COUNT - 1, MAX_NODE_COUNT],
  ] as const) {
    it(`is ${count} for ${mask.toString(2)}`, () => {
      expect(nodeCountOf(mask)).to.equal(count);
    });
  }
});
