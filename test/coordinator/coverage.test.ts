import { expect } from "chai";
import { Coverage } from "../../src/coordinator/coverage.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

describe("Coverage", () => {
  it("is complete when every node holds the key with the token, and only then", () => {
    const coverage = new Coverage(3, 0b111, 0b001);
    expect(coverage.isComplete).to.equal(false);
    coverage.add(1);
    expect(coverage.isComplete).to.equal(false);
    coverage.add(2);
    expect(coverage.isComplete).to.equal(true);
    expect(new Coverage(30, 0, 2 ** 30 - 1).isComplete).to.equal(true);
    expect(new Coverage(30, 0, 2 ** 30 - 2).isComplete).to.equal(false);
  });

  it("owes a release to a node once it holds the key", () => {
    const coverage = new Coverage(3, 0b001, 0b001);
    coverage.add(2);
    expect(coverage.touched).to.equal(0b101);
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
      const coverage = new Coverage(3, 0, has ? 0b010 : 0);
      expect(coverage.needsHeal(1, vote)).to.equal(needsHeal);
    });
  }

  it("forgets that a node has the token when it refuses", () => {
    const coverage = new Coverage(3, 0, 0b111);
    coverage.needsHeal(1, held());
    expect(coverage.has(1)).to.equal(false);
    expect(coverage.has(0)).to.equal(true);
    coverage.needsHeal(0, fault());
    expect(coverage.has(0), "a fault says nothing").to.equal(true);
  });
});
