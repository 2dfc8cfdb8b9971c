import { expect } from "chai";
import type { ObservedSample } from "../../bench/observed/sample.js";
import { observedTable } from "../../bench/observed/tables.js";
import { observedVerdicts } from "../../bench/observed/targets.js";

const GOOD: ObservedSample = {
  ...{ idleClientShare: 0.004, idleNodeShare: 0.002, clientUs: 700, nodeUs: 150, shownShare: 1 },
  base: { nodeUs: 100 },
};
const MANY = { managerCount: 1, loopCount: 1_000 };

const verdictsOf = (...samples: ObservedSample[]): string[] =>
  observedVerdicts([
    { managerCount: 0, loopCount: 0, samples },
    { ...MANY, samples },
  ]).map(({ verdict }) => verdict);

describe("bench of observers", () => {
  it("judges what many loops of a process cost it at rest, and a node for a change", () => {
    expect(verdictsOf(GOOD)).to.deep.equal(["reached", "reached"]);
    expect(verdictsOf({ ...GOOD, idleClientShare: 0.02 })).to.deep.equal(["missed", "reached"]);
    expect(verdictsOf({ ...GOOD, nodeUs: 201 })).to.deep.equal(["reached", "missed"]);
  });

  it("shows how many observe, and what they cost at rest and for a change", () => {
    const table = observedTable([{ ...MANY, samples: [GOOD] }]);
    expect(table).to.match(
      /\| 1 +\| 1,000 +\| 0\.40 +\| 0\.20 +\| 700 +\| 150 +\| 1\.50 +\| 1\.000 +\|/,
    );
  });
});
