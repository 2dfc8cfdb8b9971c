import { expect } from "chai";
import { LeaseNodes } from "../../src/coordinator/lease-nodes.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

describe("LeaseNodes", () => {
  it("is complete when every node holds the key with the token, and only then", () => {
    const nodes = new LeaseNodes(3, 0b111, 0b001);
    expect(nodes.isComplete).to.equal(false);
    nodes.add(1);
    expect(nodes.isComplete).to.equal(false);
    nodes.add(2);
    expect(nodes.isComplete).to.equal(true);
    expect(new LeaseNodes(30, 0, 2 ** 30 - 1).isComplete).to.equal(true);
    expect(new LeaseNodes(30, 0, 2 ** 30 - 2).isComplete).to.equal(false);
  });

  it("owes a release to a node once it holds the key", () => {
    const nodes = new LeaseNodes(3, 0b001, 0b001);
    nodes.add(2);
    expect(nodes.mayHold).to.equal(0b101);
  });

  for (const { title, vote, has, needsHeal } of [
    { title: "matched and has the token", vote: granted(), has: true, needsHeal: false },
    { title: "matched, but may lack the token", vote: granted(), has: false, needsHeal: true },
    { title: "lost the key", vote: free(), has: true, needsHeal: true },
    { title: "never had the key", vote: free(), has: false, needsHeal: true },
    { title: "is held by another", vote: held(), has: true, needsHeal: false },
    { title: "holds somebody's data", vote: foreign(), has: true, needsHeal: false },
    { title: "did not answer", vote: fault("timeout"), has: true, needsHeal: false },
    { title: "did not answer before either", vote: fault("timeout"), has: false, needsHeal: false },
  ]) {
    it(`${needsHeal ? "heals" : "leaves alone"} a node that ${title}`, () => {
      const nodes = new LeaseNodes(3, 0, has ? 0b010 : 0);
      expect(nodes.needsHeal(1, vote)).to.equal(needsHeal);
    });
  }

  it("forgets that a node has the token when it refuses", () => {
    const nodes = new LeaseNodes(3, 0, 0b111);
    nodes.needsHeal(1, held());
    expect(nodes.has(1)).to.equal(false);
    expect(nodes.has(0)).to.equal(true);
    nodes.needsHeal(0, fault());
    expect(nodes.has(0), "a fault says nothing").to.equal(true);
  });
});
