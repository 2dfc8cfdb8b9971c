import { expect } from "chai";
import { parseArguments } from "../../bench/arguments.js";
import { ratioTable, tables } from "../../bench/markdown.js";
import { ratiosOf, type Target } from "../../bench/ratios.js";
import type { Series } from "../../bench/rounds.js";

const CELL = { workload: "uncontended", nodeCount: 5, inFlight: 64 } as const;

function series(subjectName: string, ...speeds: number[]): Series {
  const samples = speeds.map((cyclesPerSecond) => ({
    cyclesPerSecond,
    p50Ms: 1,
    p99Ms: 2,
    clientCpuUs: 3,
    serverCpuUs: 4,
    sentPerNode: 2,
    executedPerNode: 6,
  }));
  return { cell: CELL, subjectName, samples };
}

const target = (bounds: { atLeast?: number; atMost?: number }): Target => ({
  nodeCount: 5,
  inFlight: 64,
  metric: "cyclesPerSecond",
  subject: "ours",
  versus: "theirs",
  ...bounds,
});

describe("bench ratios", () => {
  // Round by round 2, 4 and 3: the median is 3, though the medians' ratio is 4.
  const measured = [series("ours", 20, 40, 90), series("theirs", 10, 10, 30)];

  const cases: [bounds: { atLeast?: number; atMost?: number }, verdict: string][] = [
    [{ atLeast: 3 }, "reached"],
    [{ atLeast: 3.01 }, "missed"],
    [{ atMost: 3 }, "reached"],
    [{ atMost: 2.99 }, "missed"],
  ];
  for (const [bounds, verdict] of cases) {
    it(`says ${verdict} of a ratio of 3 for ${JSON.stringify(bounds)}`, () => {
      const [ratio] = ratiosOf(measured, [target(bounds)]);
      expect(ratio?.measured).to.deep.equal({ median: 3, min: 2, max: 4 });
      expect(ratio?.verdict).to.equal(verdict);
    });
  }

  it("leaves out what was not measured", () => {
    expect(ratiosOf([series("ours", 1)], [target({ atLeast: 1 })])).to.deep.equal([]);
    expect(ratiosOf(measured, [{ ...target({}), inFlight: 1 }])).to.deep.equal([]);
  });

  it("shows the median with its range, and the verdict", () => {
    expect(tables(measured)).to.match(/\| ours +\| 40 \(20 to 90\) +\| 1\.000 +\|/);
    const table = ratioTable(ratiosOf(measured, [target({ atLeast: 5 })]));
    expect(table).to.match(/ours \/ theirs \| at least 5 \| 3\.00 \(2\.00 to 4\.00\) \| missed/);
  });
});

describe("bench arguments", () => {
  it("measures everything if not told otherwise", () => {
    const { plan, isComplete } = parseArguments([]);
    expect(plan.cells).to.have.length(4);
    expect(isComplete).to.equal(true);
  });

  it("knows a part from the whole", () => {
    for (const part of [["--quick"], ["--only", "raw"], ["--cell", "5/64"]]) {
      expect(parseArguments(part).isComplete, part.join(" ")).to.equal(false);
    }
    expect(parseArguments(["--cell", "5/64"]).plan.cells).to.deep.equal([CELL]);
  });

  it("refuses what it does not know", () => {
    for (const bad of [["--only", "rdlock"], ["--cell", "4/4"], ["--rounds", "0"], ["--fast"]]) {
      expect(() => parseArguments(bad), bad.join(" ")).to.throw();
    }
  });
});
