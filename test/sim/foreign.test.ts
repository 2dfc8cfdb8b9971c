import { expect } from "chai";
import { generateScenario } from "../../sim/generate.js";

describe("foreign code beside ours", () => {
  it("has clocks that differ by less than the margin where they tell when a lock is over", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const { nodes, foreign = [] } = generateScenario(seed, "timestamp");
      const offsets = [...nodes, ...foreign].map(({ wallOffsetMs }) => wallOffsetMs);
      expect(Math.max(...offsets) - Math.min(...offsets)).to.be.below(1_000);
    }
  });

  it("is met by all layouts that it has", () => {
    const met = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const { options, foreign = [], nodeCount } = generateScenario(seed, "timestamp");
      for (const { stamps } of foreign) met.add(`${options.layout} ${stamps}`);
      met.add(nodeCount === 1 ? "one node" : "several nodes");
    }
    expect([...met]).to.have.members([
      ...["timestamp ms", "timestamp-seconds seconds", "timestamp-seconds fractions"],
      ...["one node", "several nodes"],
    ]);
  });
});
