import { expect } from "chai";
import type { Contention } from "../../bench/contended/contention.js";
import {
  BARE_CONTENTION,
  FLEET_CONTENTION,
  MAIN_CONTENTION,
  CLUSTER_CONTENTION,
} from "../../bench/contended/plan.js";
import type { ContendedSeries } from "../../bench/contended/run.js";
import { sampleOf, type ContendedSample } from "../../bench/contended/sample.js";
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

  const verdictsOf = (all: readonly ContendedSeries[], figure: RegExp): string[] =>
    contendedVerdicts(all)
      .filter((one) => figure.test(one.figure))
      .map(({ where, verdict }) => `${where.split(" workers")[0]} ${verdict}`);
  const inCell = (contention: Contention, one: ContendedSeries): ContendedSeries => {
    return { ...one, contention };
  };

  const speeds: [where: Contention, other: string, ours: number, verdict: string][] = [
    [MAIN_CONTENTION, "redis-semaphore", 110, "2 x 8 reached"],
    [MAIN_CONTENTION, "redis-semaphore", 109, "2 x 8 missed"],
    [MAIN_CONTENTION, "floor-granted", 85, "2 x 8 reached"],
    [MAIN_CONTENTION, "floor-granted", 84, "2 x 8 missed"],
    [BARE_CONTENTION, "redis-semaphore", 120, "4 x 4 reached"],
    [BARE_CONTENTION, "redis-semaphore", 119, "4 x 4 missed"],
    [BARE_CONTENTION, "floor-granted", 60, "4 x 4 reached"],
    [BARE_CONTENTION, "floor-granted", 59, "4 x 4 missed"],
    [FLEET_CONTENTION, "floor-granted", 80, "50 x 1 reached"],
    [FLEET_CONTENTION, "floor-granted", 79, "50 x 1 missed"],
  ];
  for (const [where, other, ours, verdict] of speeds) {
    it(`calls ${ours} hand-overs beside 100 of ${other}: ${verdict}`, () => {
      const all = [series("quorate", ours), series(other, 100)].map((one) => inCell(where, one));
      expect(verdictsOf(all, new RegExp(`^hand-overs/s / ${other}`))).to.deep.equal([verdict]);
    });
  }

  it("wants two calls a node and hand-over of a fleet", () => {
    for (const [callsPerNode, verdict] of [
      [2.1, "50 x 1 reached"],
      [2.2, "50 x 1 missed"],
    ] as const) {
      const one = { ...fleet(), samples: [{ ...sample(10), callsPerNode }] };
      expect(verdictsOf([one], /script calls/)).to.deep.equal([verdict]);
    }
  });

  it("wants a hand-over on Clusters to take at most twice one on single servers", () => {
    for (const [waitP50Ms, word] of [
      [4, "reached"],
      [4.1, "missed"],
    ] as const) {
      const [plain, onClusters] = ["quorate", "quorate-cluster"].map((subjectName, index) => ({
        contention: CLUSTER_CONTENTION,
        subjectName,
        samples: [{ ...sample(10), waitP50Ms: index === 0 ? 2 : waitP50Ms, waitMaxMs: 60 }],
      })) as [ContendedSeries, ContendedSeries];
      expect(verdictsOf([plain, onClusters], /./)).to.deep.equal([`4 x 1 ${word}`]);
    }
  });

  it("wants even shares of processes, no long wait and little CPU in every contention but one with a slow process", () => {
    const good = { ...sample(10), processJainIndex: 0.97, waitP50Ms: 2, waitMaxMs: 6 };
    const bad = { ...good, processJainIndex: 0.96, waitMaxMs: 7, clientCpuUs: 81 };
    const peer = { ...good, clientCpuUs: 100 };
    const cell = { processCount: 3, workerCount: 3, sectionMs: 0 };
    const all = (ours: ContendedSample, contention: Contention): ContendedSeries[] => [
      { contention, subjectName: "quorate", samples: [ours] },
      { contention, subjectName: "redis-semaphore", samples: [peer] },
    ];
    const figures = /^(?:client CPU|Jain index of processes|longest wait)/;
    const verdicts = (word: string): string[] => Array.from({ length: 3 }, () => `3 x 3 ${word}`);
    const frugal = { ...good, clientCpuUs: 80 };
    expect(verdictsOf(all(frugal, cell), figures)).to.deep.equal(verdicts("reached"));
    expect(verdictsOf(all(bad, cell), figures)).to.deep.equal(verdicts("missed"));
    expect(verdictsOf(all(bad, { ...cell, firstShare: 0.2 }), figures)).to.deep.equal([]);
  });

  it("divides the clients' CPU as a profile does, and shows it beside", () => {
    const answers = [{ counts: [10], waitsMs: [1], openWaitsMs: [], cpuUs: 1_000 }];
    const nodes = { callsPerNode: 1, cpuUs: 1 };
    const one = sampleOf(answers, 1_000, nodes, { ioredis: 0.25, "garbage collection": 0.75 });
    expect(one.clientLines).to.deep.equal({ ioredis: 25, "garbage collection": 75 });
    const table = contendedTables([{ ...series("quorate"), samples: [one] }, series("floor", 20)]);
    expect(table).to.match(/\| client CPU µs +\| quorate \|\n/);
    expect(table).to.match(/\| ioredis +\| 25 +\|/);
    expect(contendedTables([series("quorate", 10)])).to.not.include("client CPU µs |\n");
  });

  it("shows the share of the floor of the same round, and no waits where there are none", () => {
    const floor = { ...series("floor", 20, 20), samples: [sample(20, []), sample(20, [])] };
    const table = contendedTables([series("quorate", 10, 20), floor]);
    expect(table).to.match(/\| quorate \| 30 \(20 to 40\) \| 0\.75 \(0\.50 to 1\.00\) \|/);
    expect(table).to.match(/\| floor +\| 40 +\| 1\.00 +\| - +\|/);
  });
});
