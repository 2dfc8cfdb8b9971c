import { expect } from "chai";
import { FLEET_CONTENTION, MAIN_CONTENTION } from "../../bench/contended/plan.js";
import type { ContendedSeries } from "../../bench/contended/run.js";
import { sampleOf } from "../../bench/contended/sample.js";
import { contendedTables } from "../../bench/contended/tables.js";
import { contendedVerdicts } from "../../bench/contended/targets.js";

const sample = (count: number, waitsMs: number[] = [1, 2]) =>
  sampleOf([{ counts: [count, count], waitsMs, openWaitsMs: [], cpuUs: 90 * count }], 1_000, {
    callsPerNode: 6 * count,
    cpuUs: 80 * count,
  });

const series = (subjectName: string, ...counts: number[]): ContendedSeries => ({
  contention: MAIN_CONTENTION,
  subjectName,
  samples: counts.map((count) => sample(count)),
});

const fleet = (...counts: number[]): ContendedSeries => ({
  ...series("quorate", ...counts),
  contention: FLEET_CONTENTION,
});

describe("bench contended", () => {
  it("adds up processes, with the waits that were not over", () => {
    const { waitQuantilesMs, ...even } = sampleOf(
      [
        { counts: [10, 10], waitsMs: [1, 3], openWaitsMs: [], cpuUs: 1_000 },
        { counts: [10, 10], waitsMs: [2, 4], openWaitsMs: [9], cpuUs: 3_000 },
      ],
      2_000,
      { callsPerNode: 80, cpuUs: 2_000 },
    );
    expect(even).to.deep.equal({
      handOversPerSecond: 20,
      waitMeanMs: 3.8,
      waitP50Ms: 3,
      waitP99Ms: 9,
      waitMaxMs: 9,
      jainIndex: 1,
      processJainIndex: 1,
      callsPerNode: 2,
      clientCpuUs: 100,
      serverCpuUs: 50,
    });
    expect(waitQuantilesMs.at(0)).to.equal(1);
    expect(waitQuantilesMs.at(-1)).to.equal(9);
  });

  it("tells uneven processes from uneven workers", () => {
    const ofCounts = (...all: number[][]) =>
      sampleOf(
        all.map((counts) => ({ counts, waitsMs: [1], openWaitsMs: [], cpuUs: 1 })),
        1_000,
        { callsPerNode: 1, cpuUs: 1 },
      );
    const workers = ofCounts([20, 0], [0, 20]);
    expect([workers.jainIndex, workers.processJainIndex]).to.deep.equal([0.5, 1]);
    const processes = ofCounts([20, 20], [0, 0]);
    expect([processes.jainIndex, processes.processJainIndex]).to.deep.equal([0.5, 0.5]);
  });

  const speeds: [figure: RegExp, ours: number, beside: ContendedSeries, verdict: string][] = [
    [/\/ floor$/, 170, series("floor", 200), "reached"],
    [/\/ floor$/, 169, series("floor", 200), "missed"],
    [/\/ those of 2 x 8/, 200, fleet(190), "reached"],
    [/\/ those of 2 x 8/, 200, fleet(189), "missed"],
  ];
  for (const [figure, ours, beside, verdict] of speeds) {
    it(`calls ${ours} ${verdict}: ${figure.source} of ${beside.samples[0]?.handOversPerSecond}`, () => {
      const all = contendedVerdicts([series("quorate", ours), beside]);
      expect(all.filter((one) => figure.test(one.figure)).map((one) => one.verdict)).to.deep.equal([
        verdict,
      ]);
    });
  }

  it("wants even shares of two processes and of fifty, and of these one script call a node", () => {
    const verdictsOf = (callsPerNode: number, jainIndex: number): string[][] => {
      const samples = [{ ...sample(10), callsPerNode, jainIndex }];
      return contendedVerdicts([
        { ...series("quorate"), samples },
        { ...fleet(), samples },
      ])
        .filter(({ figure }) => !figure.startsWith("hand-overs"))
        .map(({ where, figure, verdict }) => [where.split(" workers")[0] ?? "", figure, verdict]);
    };
    const verdicts = (word: string): string[][] => [
      ["50 x 1", "script calls per node and hand-over", word],
      ["2 x 8", "Jain index", word],
      ["50 x 1", "Jain index", word],
    ];
    expect(verdictsOf(1.1, 0.95)).to.deep.equal(verdicts("reached"));
    expect(verdictsOf(1.2, 0.94)).to.deep.equal(verdicts("missed"));
  });

  it("shows the share of the floor of the same round, and no waits where there are none", () => {
    const floor = { ...series("floor", 20, 20), samples: [sample(20, []), sample(20, [])] };
    const table = contendedTables([series("quorate", 10, 20), floor]);
    expect(table).to.match(/\| quorate \| 30 \(20 to 40\) \| 0\.75 \(0\.50 to 1\.00\) \|/);
    expect(table).to.match(/\| floor +\| 40 +\| 1\.00 +\| - +\|/);
  });
});
