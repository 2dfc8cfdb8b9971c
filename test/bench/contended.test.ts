import { expect } from "chai";
import { MAIN_CONTENTION } from "../../bench/contended/plan.js";
import type { ContendedSeries } from "../../bench/contended/run.js";
import { sampleOf } from "../../bench/contended/sample.js";
import { contendedTables } from "../../bench/contended/tables.js";
import { contendedVerdicts } from "../../bench/contended/targets.js";

const sample = (count: number, waitsMs: number[] = [1, 2]) =>
  sampleOf([{ counts: [count, count], waitsMs, openWaitsMs: [] }], 1_000, 6 * count);

const series = (subjectName: string, ...counts: number[]): ContendedSeries => ({
  contention: MAIN_CONTENTION,
  subjectName,
  samples: counts.map((count) => sample(count)),
});

describe("bench contended", () => {
  it("adds up processes, with the waits that were not over", () => {
    const { waitQuantilesMs, ...even } = sampleOf(
      [
        { counts: [10, 10], waitsMs: [1, 3], openWaitsMs: [] },
        { counts: [10, 10], waitsMs: [2, 4], openWaitsMs: [9] },
      ],
      2_000,
      80,
    );
    expect(even).to.deep.equal({
      handOversPerSecond: 20,
      waitMeanMs: 3.8,
      waitP50Ms: 3,
      waitP99Ms: 9,
      waitMaxMs: 9,
      jainIndex: 1,
      callsPerNode: 2,
    });
    expect(waitQuantilesMs.at(0)).to.equal(1);
    expect(waitQuantilesMs.at(-1)).to.equal(9);
  });

  const shares: [ours: number, floor: number, verdicts: string[]][] = [
    [400, 900, ["reached", "not needed"]],
    [200, 240, ["not needed", "reached"]],
    [200, 400, ["missed", "missed"]],
  ];
  for (const [ours, floor, verdicts] of shares) {
    it(`calls ${2 * ours}/s of a floor of ${2 * floor}/s ${verdicts.join(" and ")}`, () => {
      const measured = contendedVerdicts([series("quorate", ours), series("floor", floor)]);
      const speeds = measured.filter(({ figure }) => figure.startsWith("hand-overs/s"));
      expect(speeds.map(({ verdict }) => verdict)).to.deep.equal(verdicts);
    });
  }

  it("shows the share of the floor of the same round, and no waits where there are none", () => {
    const floor = { ...series("floor", 20, 20), samples: [sample(20, []), sample(20, [])] };
    const table = contendedTables([series("quorate", 10, 20), floor]);
    expect(table).to.match(/\| quorate \| 30 \(20 to 40\) \| 0\.75 \(0\.50 to 1\.00\) \|/);
    expect(table).to.match(/\| floor +\| 40 +\| 1\.00 +\| - +\|/);
  });
});
