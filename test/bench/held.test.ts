import { expect } from "chai";
import type { HeldSample } from "../../bench/held/sample.js";
import { heldTable } from "../../bench/held/tables.js";
import { heldVerdicts } from "../../bench/held/targets.js";

const GOOD: HeldSample = {
  clientCpuShare: 0.04,
  serverCpuShare: 0.08,
  heapBytesPerLock: 900,
  callsPerNode: 15,
  executedPerNode: 9_000,
  acquireP50Ms: 0.3,
  acquireP99Ms: 1,
  lostCount: 0,
  toldP50Ms: 0.7,
  toldMaxMs: 3,
  untoldCount: 0,
};

const verdictsOf = (...samples: HeldSample[]): string[] =>
  heldVerdicts([
    { lockCount: 10_000, samples },
    { lockCount: 100_000, samples: [{ ...GOOD, clientCpuShare: 0.5 }] },
  ]).map(({ verdict }) => verdict);

describe("bench held locks", () => {
  it("judges 10,000 locks by CPU, memory and news, and any number by what was lost or not told", () => {
    expect(verdictsOf(GOOD)).to.deep.equal(Array.from({ length: 5 }, () => "reached"));
    expect(verdictsOf({ ...GOOD, clientCpuShare: 0.06 })[0]).to.equal("missed");
    expect(verdictsOf({ ...GOOD, heapBytesPerLock: 2_100 })[1]).to.equal("missed");
    expect(verdictsOf({ ...GOOD, toldP50Ms: 0.8 })[2]).to.equal("missed");
    expect(verdictsOf(GOOD, GOOD, { ...GOOD, untoldCount: 1 })[3]).to.equal("missed");
    expect(verdictsOf(GOOD, GOOD, { ...GOOD, lostCount: 1 })[4]).to.equal("missed");
  });

  it("has shares of a core in percent", () => {
    const table = heldTable([{ lockCount: 10_000, samples: [GOOD] }]);
    expect(table).to.match(/\| 10,000 \| 4\.00 +\| 8\.00 +\| 900 +\|/);
  });
});
