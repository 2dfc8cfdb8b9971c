import { expect } from "chai";
import type { ColdLibrary } from "../../bench/cold/plan.js";
import type { ColdSeries } from "../../bench/cold/run.js";
import { coldTable } from "../../bench/cold/tables.js";
import { coldVerdicts } from "../../bench/cold/targets.js";

const CELL = { nodeCount: 5, inFlight: 64 };

const series = (library: ColdLibrary, ...figures: readonly [number, number][]): ColdSeries => ({
  cell: CELL,
  library,
  samples: figures.map(([importCpuMs, cycleCpuUs]) => {
    return { importCpuMs, firstLockMs: 20, firstLockCpuMs: 10, cycleCpuUs };
  }),
});

describe("bench cold start", () => {
  it("judges import by ioredis and the first cycles by redlock, round by round", () => {
    const verdicts = coldVerdicts([
      series("quorate", [110, 300], [220, 150]),
      series("redlock", [100, 200], [200, 100]),
      series("ioredis", [100, Number.NaN], [200, Number.NaN]),
    ]);
    expect(verdicts.map(({ where, verdict }) => [where, verdict])).to.deep.equal([
      ["new process", "reached"],
      ["5 nodes, 64 in flight, cold", "reached"],
    ]);
    expect(verdicts[0]?.measured).to.deep.include({ min: 1.1, max: 1.1 });
    expect(verdicts[1]?.measured.median).to.equal(1.5);
  });

  it("says where they are missed, and nothing of what was not measured", () => {
    const slow = [series("quorate", [140, 160]), series("ioredis", [100, Number.NaN])];
    expect(coldVerdicts(slow).map(({ verdict }) => verdict)).to.deep.equal(["missed"]);
    expect(coldVerdicts([])).to.deep.equal([]);
  });

  it("has a row for each library in each cell", () => {
    const table = coldTable([series("quorate", [110, 300])]);
    expect(table).to.match(
      /\| 5 nodes, 64 in flight \| quorate \| 110\.0 +\| 20\.0 +\| 10\.0 +\| 300 +\|/,
    );
  });
});
