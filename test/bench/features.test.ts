import { expect } from "chai";
import { speedWith, type FeaturesSample } from "../../bench/features/sample.js";
import { featuresTable } from "../../bench/features/tables.js";
import { featuresVerdicts } from "../../bench/features/targets.js";

const COST = { cyclesPerSecond: 9_000, clientUs: 60, scriptsUs: 40 };
const usedFor = (clientUs: number): FeaturesSample => ({
  plain: COST,
  used: { ...COST, clientUs },
});

describe("bench of features in use", () => {
  it("compares the CPU time of a cycle, client and nodes together", () => {
    expect(speedWith(usedFor(60))).to.equal(1);
    expect(speedWith(usedFor(160))).to.equal(0.5);
  });

  it("judges what is not about the name that is measured", () => {
    const verdictsWith = (clientUs: number): string[] =>
      featuresVerdicts([
        { feature: "another name observed", samples: [usedFor(clientUs)] },
        { feature: "own value", samples: [usedFor(160)] },
      ]).map(({ verdict }) => verdict);
    expect(verdictsWith(62)).to.deep.equal(["reached"]);
    expect(verdictsWith(63)).to.deep.equal(["missed"]);
  });

  it("shows the cost with the feature, and the speed beside that without it", () => {
    const table = featuresTable([{ feature: "maxWaiters", samples: [usedFor(160)] }]);
    expect(table).to.match(/\| maxWaiters +\| 9,000 +\| 160\.0 +\| 40\.0 +\| 0\.500 +\|/);
  });
});
