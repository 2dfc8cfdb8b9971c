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
  it("compares with the better of the two peers in each round, and with no other subject", () => {
    const all = [
      series("quorate", 5, 64, { speeds: [20, 30, 40] }),
      series("redlock", 5, 64, { speeds: [10, 1, 1] }),
      series("redis-semaphore", 5, 64, { speeds: [1, 10, 10] }),
      series("sesamecare", 5, 64, { speeds: [50, 50, 50] }),
      series("raw", 5, 64, { speeds: [90, 90, 90] }),
    ];
    expect(found(all, "5 nodes, 64 in flight", "cycles/s / best peer")?.measured).to.deep.equal({
      median: 3,
      min: 2,
      max: 4,
    });
  });

  const least: [where: string, figure: string, of: "p50s" | "cpus", inFlight: number][] = [
    ["5 nodes, 1 in flight", "p50 / best peer", "p50s", 1],
    ["5 nodes, 64 in flight", "CPU per cycle, client and nodes / best peer", "cpus", 64],
  ];
  for (const [where, figure, of, inFlight] of least) {
    it(`takes the least for the best ${figure.split(" / ")[0]}`, () => {
      const all = [
        series("quorate", 5, inFlight, { [of]: [2, 2, 2] }),
        series("redlock", 5, inFlight, { [of]: [1, 4, 4] }),
        series("redis-semaphore", 5, inFlight, { [of]: [4, 2, 2] }),
      ];
      // The nodes take 1 of CPU for everybody.
      const max = of === "cpus" ? 1.5 : 2;
      expect(found(all, where, figure)?.measured).to.deep.equal({ median: 1, min: 1, max });
    });
  }

  const bounds: [cell: [number, number], figure: string, ours: number, verdict: string][] = [
    [[1, 8], "cycles/s / best peer", 11, "reached"],
    [[1, 8], "cycles/s / best peer", 10.9, "missed"],
    [[1, 64], "cycles/s / best peer", 20, "reached"],
    [[5, 8], "cycles/s / best peer", 24, "missed"],
    [[5, 64], "cycles/s / best peer", 50, "reached"],
  ];
  for (const [[nodeCount, inFlight], figure, ours, verdict] of bounds) {
    it(`calls ${ours} beside a peer's 10 ${verdict}: ${nodeCount} nodes, ${inFlight} in flight`, () => {
      const peers = ["redlock", "redis-semaphore"].map((name) =>
        series(name, nodeCount, inFlight, { speeds: [10, 10, 10] }),
      );
      const all = [
        series("quorate", nodeCount, inFlight, { speeds: [ours, ours, ours] }),
        ...peers,
      ];
      const verdicts = uncontendedVerdicts(all).filter((one) => one.figure === figure);
      expect(verdicts.map((one) => one.verdict)).to.deep.equal([verdict]);
    });
  }

  it("judges growth by the CPU of client and nodes together", () => {
    const all = [
      series("quorate", 5, 64, { cpus: [1, 1, 1] }),
      series("quorate", 9, 64, { cpus: [5, 7, 9] }),
    ];
    const verdict = found(all, "64 in flight", "CPU per cycle, 9 nodes / 5 nodes");
    expect(verdict?.measured).to.deep.equal({ median: 4, min: 3, max: 5 });
    expect(verdict?.verdict).to.equal("missed");
  });

  it("judges nothing of which one side is missing, be it one of the peers", () => {
    const ours = series("quorate", 5, 64, {});
    const redlock = series("redlock", 5, 64, {});
    for (const all of [[ours], [redlock], [ours, redlock]]) {
      expect(uncontendedVerdicts(all)).to.deep.equal([]);
    }
  });

  it("has a table a cell, and one of all cells with gaps where nothing was measured", () => {
    const all = [
      series("quorate", 5, 64, { speeds: [20, 90, 40] }),
      series("quorate", 1, 64, { speeds: [7, 7, 7] }),
      series("raw", 5, 64, { speeds: [5, 5, 5] }),
    ];
    expect(cellTables(all)).to.match(
      /#### 5 nodes, 64 in flight\n\n.*\n.*\n\| quorate \| 40 \(20 to 90\) \| 1\.0 +\| 1\.0 +\| 2\.0 +\| 1\.000 +\|/,
    );
    const [, , single, five] = overviewTable(all).split("\n");
    expect(single).to.match(/^\| 1 node, 64 in flight +\| 7 \(2\.0\) +\| +\|$/);
    expect(five).to.match(/^\| 5 nodes, 64 in flight \| 40 \(2\.0\) +\| 5 \(2\.0\) +\|$/);
  });

  it("says what nodes cost beside a single one, round by round", () => {
    const all = [
      series("quorate", 1, 64, { speeds: [10, 20, 40] }),
      series("quorate", 5, 64, { speeds: [5, 10, 10] }),
      series("quorate", 5, 1, {}),
    ];
    const [, , single, five, ...others] = availabilityTable(all).split("\n");
    expect(single).to.match(/^\| 64 +\| 1 +\| 0 +\| 20 +\|/);
    expect(five).to.match(/^\| 64 +\| 5 +\| 2 +\| 10 \(x 0\.50\) \|/);
    expect(others).to.deep.equal([]);
  });
});
