import { expect } from "chai";
import type { TakeoverSample } from "../../bench/takeover/sample.js";
import { takeoverTable } from "../../bench/takeover/tables.js";
import { takeoverVerdicts } from "../../bench/takeover/targets.js";

const BASE = { waiterMs: 9_000, newcomerMs: 10_000 };
const GOOD: TakeoverSample = { waiterMs: 10_000, newcomerMs: 15_000, base: BASE };

const verdictsOf = (...samples: TakeoverSample[]): string[] =>
  takeoverVerdicts([
    { ttlMs: 10_000, clockStepMs: 0, samples: [{ ...BASE, base: BASE }] },
    { ttlMs: 10_000, clockStepMs: 5_000, samples },
  ]).map(({ verdict }) => verdict);

describe("bench of holders that crash", () => {
  it("judges a waiter by the time without a margin, and a new process by the ttl", () => {
    expect(verdictsOf(GOOD)).to.deep.equal(["reached", "reached"]);
    expect(verdictsOf({ ...GOOD, waiterMs: 11_000 })).to.deep.equal(["missed", "reached"]);
    expect(verdictsOf({ ...GOOD, newcomerMs: 21_000 })).to.deep.equal(["reached", "missed"]);
  });

  it("shows seconds beside the ratio to the round's own time without a margin", () => {
    const table = takeoverTable([{ ttlMs: 10_000, clockStepMs: 5_000, samples: [GOOD] }]);
    expect(table).to.match(/\| 10,000 \| 5,000 +\| 10\.00 +\| 1\.11 +\| 15\.00 +\| 1\.50 +\|/);
  });
});
