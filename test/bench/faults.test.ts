import { expect } from "chai";
import { readingOf, type FaultSample } from "../../bench/faults/sample.js";
import { faultAftermathTable, faultLatencyTable } from "../../bench/faults/tables.js";
import { faultVerdicts } from "../../bench/faults/targets.js";
import { trafficBetween } from "../../bench/faults/traffic.js";
import { parseStats } from "../../bench/numbers/node-stats.js";

const READING = { p50Ms: 1, p99Ms: 2, maxMs: 3, count: 100, failedCount: 0 };
const GOOD: FaultSample = {
  healthy: READING,
  outage: { ...READING, p99Ms: 2.2 },
  heapBytes: { healthy: 5e6, early: 5e6, late: 5.5e6 },
  normal: { calls: 100, bytes: 1_000 },
  recovery: { calls: 140, bytes: 1_400 },
};

const series = (...samples: FaultSample[]) => [
  { faultCase: { fault: "frozen", struckCount: 2 } as const, outage: "second" as const, samples },
];

const missedOf = (sample: FaultSample): string[] =>
  faultVerdicts(series(sample))
    .filter(({ verdict }) => verdict !== "reached")
    .map(({ figure }) => figure);

describe("bench faults", () => {
  it("judges every case's latencies, and of everything else the worst", () => {
    const bad = { ...GOOD, outage: { ...READING, p99Ms: 8, failedCount: 1 } };
    const verdicts = faultVerdicts([...series(GOOD, GOOD), ...series(GOOD, bad)]);
    expect(verdicts.map(({ measured }) => measured.max)).to.deep.equal([1.1, 4, 1, 0.5, 1.4, 1.4]);
    expect(missedOf(GOOD)).to.deep.equal([]);
    expect(faultVerdicts([])).to.deep.equal([]);
  });

  const spoilt: [figure: string, sample: FaultSample][] = [
    ["acquire p99, outage / healthy", { ...GOOD, outage: { ...READING, p99Ms: 2.5 } }],
    ["failed acquires", { ...GOOD, outage: { ...READING, failedCount: 1 } }],
    [
      "heap growth in the outage, MB",
      { ...GOOD, heapBytes: { healthy: 9e6, early: 5e6, late: 7e6 } },
    ],
    ["calls after recovery / normal", { ...GOOD, recovery: { calls: 200, bytes: 1 } }],
    ["bytes after recovery / normal", { ...GOOD, recovery: { calls: 1, bytes: 2_000 } }],
  ];
  for (const [figure, sample] of spoilt) {
    it(`misses ${figure} alone`, () => {
      expect(missedOf(sample)).to.deep.equal([figure]);
    });
  }

  it("forgives the latencies of a first outage, in which code runs that has never run, and nothing else", () => {
    const bad = { ...GOOD, outage: { ...READING, p99Ms: 8, failedCount: 1 } };
    const first = series(bad).map((one) => ({ ...one, outage: "first" as const }));
    const missed = faultVerdicts(first).filter(({ verdict }) => verdict === "missed");
    expect(missed.map(({ figure }) => figure)).to.deep.equal(["failed acquires"]);
  });

  it("reads several times as one", () => {
    const looks = [[5, 1], [3]].map((latenciesMs) => ({
      latenciesMs,
      failedCount: 1,
      heapBytes: 0,
    }));
    const all = { p50Ms: 3, p99Ms: 5, maxMs: 5, count: 3, failedCount: 2 };
    expect(readingOf(...looks)).to.deep.equal(all);
  });

  it("has its figures in the tables", () => {
    const latency = faultLatencyTable(series(GOOD));
    expect(latency).to.match(
      /\| 2 frozen +\| second \| 1\.000 +\| 2\.000 +\| 1\.000 +\| 2\.200 +\| 1\.00 +\| 1\.10/,
    );
    expect(faultAftermathTable(series(GOOD))).to.match(
      /\| 5\.00 +\| 5\.00 +\| 5\.50 +\| 100 +\| 140/,
    );
  });

  it("takes the node that got most, and one that was started again from nothing", () => {
    const at = (atMs: number, ...calls: number[]) => ({
      atMs,
      byNode: calls.map((count) => ({
        stats: parseStats(`cmdstat_evalsha:calls=${count},usec=1\n`),
        bytes: 10 * count,
      })),
    });
    expect(trafficBetween(at(0, 100, 100), at(500, 110, 120))).to.deep.equal({
      calls: 40,
      bytes: 400,
    });
    expect(trafficBetween(at(0, 100), at(1_000, 30)).calls).to.equal(30);
  });
});
