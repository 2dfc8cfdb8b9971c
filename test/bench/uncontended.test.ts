import { expect } from "chai";
import type { Series } from "../../bench/uncontended/run.js";
import { availabilityTable, cellTables, overviewTable } from "../../bench/uncontended/tables.js";
import { uncontendedVerdicts } from "../../bench/uncontended/targets.js";

interface Figures {
  readonly speeds?: number[];
  readonly p50s?: number[];
  readonly cpus?: number[];
}

function series(
  subjectName: string,
  nodeCount: number,
  inFlight: number,
  { speeds = [1, 1, 1], p50s = [1, 1, 1], cpus = [1, 1, 1] }: Figures,
): Series {
  const samples = speeds.map((cyclesPerSecond, round) => ({
    cyclesPerSecond,
    p50Ms: p50s[round] ?? Number.NaN,
    p99Ms: 2,
    clientCpuUs: cpus[round] ?? Number.NaN,
    serverCpuUs: 1,
    sentPerNode: 2,
    executedPerNode: 6,
  }));
  return { cell: { nodeCount, inFlight }, subjectName, samples };
}

const found = (all: readonly Series[], where: string, figure: string) =>
  uncontendedVerdicts(all).find((one) => one.where === where && one.figure === figure);

describe("bench uncontended", () => {
  it("compares with the peer that is best in each round, and with no other subject", () => {
    const all = [
      series("quorate", 5, 64, { speeds: [20, 30, 40] }),
      series("redlock", 5, 64, { speeds: [10, 1, 1] }),
      series("sesamecare", 5, 64, { speeds: [1, 10, 10] }),
      series("raw", 5, 64, { speeds: [90, 90, 90] }),
    ];
    expect(found(all, "5 nodes, 64 in flight", "cycles/s / best peer")?.measured).to.deep.equal({
      median: 3,
      min: 2,
      max: 4,
    });
  });

  it("takes the least for the best latency", () => {
    const all = [
      series("quorate", 5, 1, { p50s: [2, 2, 2] }),
      series("redlock", 5, 1, { p50s: [1, 4, 4] }),
      series("redis-semaphore", 5, 1, { p50s: [4, 2, 2] }),
    ];
    const verdict = found(all, "5 nodes, 1 in flight", "p50 / best peer");
    expect(verdict?.measured).to.deep.equal({ median: 1, min: 1, max: 2 });
    expect(verdict?.verdict).to.equal("reached");
  });

  it("judges growth by the CPU of client and nodes together", () => {
    const all = [
      series("quorate", 1, 64, { cpus: [1, 1, 1] }),
      series("quorate", 5, 64, { cpus: [5, 7, 9] }),
    ];
    const verdict = found(all, "64 in flight", "CPU, 5 nodes / 1 node");
    expect(verdict?.measured).to.deep.equal({ median: 4, min: 3, max: 5 });
    expect(verdict?.verdict).to.equal("missed");
  });

  it("judges nothing of which one side is missing", () => {
    expect(uncontendedVerdicts([series("quorate", 5, 64, {})])).to.deep.equal([]);
    expect(uncontendedVerdicts([series("redlock", 5, 64, {})])).to.deep.equal([]);
  });

  it("has a table a cell, and one of all cells with gaps where nothing was measured", () => {
    const all = [
      series("quorate", 5, 64, { speeds: [20, 90, 40] }),
      series("quorate", 1, 64, { speeds: [7, 7, 7] }),
      series("raw", 5, 64, { speeds: [5, 5, 5] }),
    ];
    expect(cellTables(all)).to.match(
      /#### 5 nodes, 64 in flight\n\n.*\n.*\n\| quorate \| 40 \(20 to 90\) \| 1\.000 +\|/,
    );
    const [, , single, five] = overviewTable(all).split("\n");
    expect(single).to.match(/^\| 1 node, 64 in flight +\| 7 +\| +\|$/);
    expect(five).to.match(/^\| 5 nodes, 64 in flight \| 40 +\| 5 +\|$/);
  });

  it("says what nodes cost beside a single one, round by round", () => {
    const all = [
      series("quorate", 1, 64, { speeds: [10, 20, 40] }),
      series("quorate", 5, 64, { speeds: [5, 10, 10] }),
      series("quorate", 5, 1, {}),
    ];
    const [, , single, five, ...others] = availabilityTable(all).split("\n");
    expect(single).to.match(/^\| 64 +\| 1 +\| 0 down +\| 20 +\|/);
    expect(five).to.match(/^\| 64 +\| 5 +\| 2 down +\| 10 \(x 0\.50\) \|/);
    expect(others).to.deep.equal([]);
  });
});
