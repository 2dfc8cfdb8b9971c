import { expect } from "chai";
import { judge, judgeNever, verdictTable, type Bound } from "../../bench/verdict.js";

describe("bench verdicts", () => {
  // The median counts, not the mean and not a single round.
  const cases: [target: Bound, verdict: string][] = [
    [{ atLeast: 3 }, "reached"],
    [{ atLeast: 3.01 }, "missed"],
    [{ atMost: 3 }, "reached"],
    [{ atMost: 2.99 }, "missed"],
  ];
  for (const [target, expected] of cases) {
    it(`say ${expected} of a median of 3 for ${JSON.stringify(target)}`, () => {
      const [verdict] = judge("here", "figure", target, [2, 4_000, 3]);
      expect(verdict?.measured).to.deep.equal({ median: 3, min: 2, max: 4_000 });
      expect(verdict?.verdict).to.equal(expected);
    });
  }

  it("are silent on what was not measured", () => {
    expect(judge("here", "figure", { atMost: 1 }, [])).to.deep.equal([]);
    expect(judge("here", "figure", { atMost: 1 }, [Number.NaN])).to.deep.equal([]);
  });

  it("do not forgive in a median what must never happen", () => {
    expect(judgeNever("here", "lost", [0, 0, 7])[0]?.verdict).to.equal("missed");
    expect(judgeNever("here", "lost", [0, 0, 0])[0]?.verdict).to.equal("reached");
    expect(judgeNever("here", "lost", [])).to.deep.equal([]);
  });

  it("stand in a table with target and range", () => {
    const table = verdictTable(judge("5 nodes", "speed", { atLeast: 5 }, [3, 2, 4]));
    expect(table).to.match(/5 nodes \| speed +\| at least 5 \| 3\.00 \(2\.00 to 4\.00\) \| missed/);
  });
});
