import { expect } from "chai";
import { boundOf, even, LOCAL, nominalBound, type Network } from "../../bench/wide/network.js";
import { FULL_WIDE } from "../../bench/wide/plan.js";
import type { WideSeries } from "../../bench/wide/run.js";
import { handOversOf, sampleOf, type Tenure } from "../../bench/wide/sample.js";
import { wideTable } from "../../bench/wide/tables.js";
import { wideVerdicts } from "../../bench/wide/targets.js";

const sample = (boundMs: number, acquireMs: number) =>
  sampleOf(boundMs, { acquiresMs: [acquireMs], cyclesMs: [2 * acquireMs] }, [3 * acquireMs]);

const series = (
  subjectName: string,
  network: Network,
  ...samples: readonly [boundMs: number, acquireMs: number][]
): WideSeries => ({
  network,
  subjectName,
  samples: samples.map(([boundMs, acquireMs]) => sample(boundMs, acquireMs)),
});

const JITTERY: Network = { name: "jitter", lines: [{ roundTripMs: 20, jitterMs: 5 }] };

const tenure = (askedMs: number, grantedMs: number, releasedMs: number, name = "a"): Tenure => {
  return { name, askedMs, grantedMs, releasedMs };
};

describe("bench wide area", () => {
  it("takes the node that completes a quorum for the bound", () => {
    expect(boundOf([80, 0.5, 20, 1, 5])).to.equal(5);
    expect(boundOf([3])).to.equal(3);
    expect(nominalBound(LOCAL)).to.equal(0);
    const bounds = FULL_WIDE.networks.map(nominalBound);
    expect(bounds).to.deep.equal([0, 0.5, 1, 5, 20, 80, 5, 20, 5, 5]);
  });

  const far: [acquireMs: number, verdict: string][] = [
    [22, "reached"],
    [22.5, "missed"],
  ];
  for (const [acquireMs, verdict] of far) {
    it(`calls ${acquireMs} ms at nodes of 20 ms ${verdict}, round by round`, () => {
      const all = [series("quorate", even(5, 20), [20, acquireMs], [40, 2 * acquireMs])];
      const [first, ...others] = wideVerdicts(all);
      expect(first?.verdict).to.equal(verdict);
      expect(first?.measured.max).to.be.closeTo(acquireMs / 20, 1e-9);
      expect(others).to.deep.equal([]);
    });
  }

  it("gives an acquire at near nodes what it takes on this machine, and the round trip", () => {
    const local = series("quorate", LOCAL, [0.1, 0.5]);
    const verdictOf = (acquireMs: number): string | undefined =>
      wideVerdicts([local, series("quorate", even(5, 1), [1.2, acquireMs])])[0]?.verdict;
    expect([verdictOf(1.69), verdictOf(1.71)]).to.deep.equal(["reached", "missed"]);
    expect(wideVerdicts([series("quorate", even(5, 1), [1.2, 1.3])])).to.deep.equal([]);
  });

  it("compares the tail with the better peer where there is jitter", () => {
    const all = [
      series("quorate", JITTERY, [20, 21]),
      series("redlock", JITTERY, [20, 42]),
      series("redis-semaphore", JITTERY, [20, 20]),
    ];
    const tail = wideVerdicts(all).find(({ figure }) => figure === "acquire p99 / best peer");
    expect(tail?.measured.median).to.equal(1.05);
    expect(tail?.verdict).to.equal("missed");
  });

  it("counts a hand-over from the release to the grant in the other process", () => {
    const one = [tenure(0, 1, 10), tenure(15, 30, 40)];
    const other = [tenure(2, 12, 28), tenure(33, 43, 50)];
    expect(handOversOf(one, other, 5)).to.deep.equal([2, 2, 3]);
  });

  const none: [why: string, one: Tenure[], other: Tenure[]][] = [
    ["the same process took it again", [tenure(0, 1, 10), tenure(11, 12, 20)], []],
    ["the other had not been waiting", [tenure(0, 1, 10)], [tenure(6, 12, 20)]],
    ["it was another name", [tenure(0, 1, 10)], [tenure(0, 12, 20, "b")]],
  ];
  for (const [why, one, other] of none) {
    it(`counts no hand-over where ${why}`, () => {
      expect(handOversOf(one, other, 5)).to.deep.equal([]);
    });
  }

  it("has a row for each subject in each network, beside the bound", () => {
    expect(wideTable([series("quorate", even(5, 20), [20, 22])])).to.match(
      /\| 20 ms +\| quorate \| 20\.00 +\| 22\.00 +\| 1\.10 +\| 22\.00 \| 44\.00 +\| 2\.20 +\| 44\.00 \| 66\.00 +\| 3\.30 /,
    );
  });
});
