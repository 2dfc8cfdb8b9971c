import { expect } from "chai";
import { wakeUps } from "../../bench/waited/run.js";
import type { WaitedSample } from "../../bench/waited/sample.js";
import { waitedTable } from "../../bench/waited/tables.js";
import { waitedVerdicts } from "../../bench/waited/targets.js";

const GOOD: WaitedSample = {
  clientCpuShare: 0.04,
  serverCpuShare: 0.05,
  callsPerNode: 21,
  wakeP50Ms: 4,
  wakeP99Ms: 20,
  wakeMaxMs: 60,
  lateCount: 0,
};

const verdictsOf = (...samples: WaitedSample[]): string[] =>
  waitedVerdicts([
    { nameCount: 200, samples: [{ ...GOOD, clientCpuShare: 0.5 }] },
    { nameCount: 2_000, samples: [{ ...GOOD, clientCpuShare: 0.016 }] },
    { nameCount: 10_000, samples },
  ]).map(({ verdict }) => verdict);

describe("bench names waited for", () => {
  it("judges thousands of names by CPU, and any number by the wake-ups that were lost", () => {
    expect(verdictsOf(GOOD)).to.deep.equal(["missed", "reached", "reached"]);
    const busy = { ...GOOD, clientCpuShare: 0.05 };
    expect(verdictsOf(busy)).to.deep.equal(["missed", "missed", "reached"]);
    expect(verdictsOf(GOOD, GOOD, { ...GOOD, lateCount: 1 })[2]).to.equal("missed");
  });

  it("counts as lost what was granted late, and what was not granted at all", () => {
    const found = wakeUps([100, 200, 300, 400], [101, 204, 1_301, Number.NaN]);
    expect(found).to.deep.include({ lateCount: 2, wakeP50Ms: 4 });
    expect(wakeUps([100, 200], [101, 1_200])).to.deep.equal({
      wakeP50Ms: 1,
      wakeP99Ms: 1_000,
      wakeMaxMs: 1_000,
      lateCount: 0,
    });
  });

  it("has shares of a core in percent", () => {
    const table = waitedTable([{ nameCount: 10_000, samples: [GOOD] }]);
    expect(table).to.match(/\| 10,000 \| 4\.00 +\| 5\.00 +\| 21\.0 +\|/);
  });
});
