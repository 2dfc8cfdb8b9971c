import { expect } from "chai";
import type { PermitsSample } from "../../bench/permits/sample.js";
import { permitsTable } from "../../bench/permits/tables.js";
import { permitsVerdicts } from "../../bench/permits/targets.js";

const BASE = { clientUs: 200, nodeUs: 40 };
const GOOD: PermitsSample = { requestsPerSecond: 9_000, clientUs: 210, nodeUs: 60, base: BASE };
const FIRST = { permits: 100, heldCount: 0, most: 1, samples: [GOOD] };
const MANY = { permits: 1_000, heldCount: 500, most: 1 };

const verdictsOf = (...samples: PermitsSample[]): string[] =>
  permitsVerdicts([FIRST, { ...MANY, samples }, { ...MANY, most: 8, samples }]).map(
    ({ verdict }) => verdict,
  );

describe("bench of permits", () => {
  it("judges the work of a node for one permit by that of a small semaphore", () => {
    expect(verdictsOf(GOOD)).to.deep.equal(["reached"]);
    expect(verdictsOf({ ...GOOD, nodeUs: 121 })).to.deep.equal(["missed"]);
  });

  it("shows how many there are, are held and are taken, and the work beside that of the first", () => {
    const table = permitsTable([{ ...MANY, most: 8, samples: [GOOD] }]);
    expect(table).to.match(/\| 1,000 +\| 500 +\| 1 to 8 +\| 9,000 +\| 210 +\| 60 +\| 1\.50 +\|/);
  });
});
