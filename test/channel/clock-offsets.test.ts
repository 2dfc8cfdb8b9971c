import { expect } from "chai";
import { ClockOffsets } from "../../src/channel/clock-offsets.js";
import { ManualClock } from "../support/manual-clock.js";

class OffsetsBench {
  readonly clock = new ManualClock();
  readonly told: [number, string][] = [];
  readonly moved: number[] = [];
  readonly offsets = new ClockOffsets(
    3,
    0,
    this.clock,
    (index, message) => this.told.push([index, message]),
    (byUs) => this.moved.push(byUs),
  );

  /** A node says, in an answer that took 10 ms, that its clock is so far ahead. */
  read(index: number, offsetMs: number): void {
    this.offsets.read(index, Math.floor(this.clock.wallUs() / 1_000) - 5 + offsetMs, 10);
  }
}

describe("ClockOffsets", () => {
  it("knows what each node has told last", () => {
    const bench = new OffsetsBench();
    bench.read(0, 700);
    bench.read(0, -40);
    bench.read(2, 0);
    expect(bench.offsets.of(0)).to.be.within(-41, -39);
    expect(bench.offsets.of(1)).to.equal(undefined);
    expect(bench.offsets.of(2)).to.be.within(-1, 1);
    expect(bench.told).to.deep.equal([]);
  });

  it("knows what the clocks show now, whatever was done to ours", () => {
    const bench = new OffsetsBench();
    const startMs = bench.clock.wallUs() / 1_000;
    bench.read(0, 700);
    bench.read(2, -86_400_000);
    bench.clock.stepWall(-40_000_000_000);
    bench.clock.advance(5_000);
    const [first = 0, third = 0, ...more] = bench.offsets.timesMs;
    expect(more).to.deep.equal([]);
    expect(first - startMs - 5_000).to.be.within(699, 701);
    expect(third - startMs - 5_000).to.be.within(-86_400_001, -86_399_999);
  });

  it("tells once of a node that is off, until it was right again", () => {
    const bench = new OffsetsBench();
    bench.read(1, 0);
    for (const offsetMs of [-3_000, -3_100]) bench.read(0, offsetMs);
    expect(bench.told.map(([index]) => index)).to.deep.equal([0]);
    expect(bench.told[0]?.[1]).to.match(/ 3000 ms \(to within 6 ms\) behind this process's/);
    bench.read(0, 0);
    bench.read(0, 2_000);
    expect(bench.told.map(([index]) => index)).to.deep.equal([0, 0]);
    expect(bench.told[1]?.[1]).to.include("ahead of");
  });

  it("does not blame nodes that agree for our clock", () => {
    const bench = new OffsetsBench();
    for (const index of [0, 1, 2]) bench.read(index, 9_000);
    expect(bench.told).to.deep.equal([]);
    bench.clock.stepWall(-9_000);
    for (const index of [0, 1, 2]) bench.read(index, 18_000);
    expect(bench.told, "set since the others told").to.deep.equal([]);
  });

  it("says nothing of a node for as long as no other has told lately", () => {
    const bench = new OffsetsBench();
    bench.read(0, 9_000);
    expect(bench.told).to.deep.equal([]);
    bench.clock.advance(60_001);
    bench.read(1, 0);
    expect(bench.told).to.deep.equal([]);
    bench.read(0, 9_000);
    expect(bench.told.map(([index]) => index)).to.deep.equal([0]);
  });

  it("judges a single node by this process's clock", () => {
    const told: number[] = [];
    const clock = new ManualClock();
    const offsets = new ClockOffsets(
      1,
      0,
      clock,
      (index) => told.push(index),
      () => {},
    );
    offsets.read(0, clock.wallUs() / 1_000 + 5_000, 10);
    expect(told).to.deep.equal([0]);
  });

  it("takes no time from a node that keeps none", () => {
    const bench = new OffsetsBench();
    for (const nodeMs of [0, Number.NaN]) bench.offsets.read(0, nodeMs, 1);
    expect(bench.offsets.of(0)).to.equal(undefined);
    expect(bench.told).to.deep.equal([]);
  });

  const AHEAD_MS = 60_000;

  /** Of a process whose clock is ahead of all nodes. */
  function benchAhead(): OffsetsBench {
    const bench = new OffsetsBench();
    for (const index of [0, 1, 2]) bench.read(index, -AHEAD_MS);
    return bench;
  }

  /** How far the order is from our wall clock, ms. */
  const orderMs = ({ offsets, clock }: OffsetsBench): number =>
    (offsets.orderUs() - clock.wallUs()) / 1_000;

  it("puts waiters in order by our clock, if that is right", () => {
    const bench = new OffsetsBench();
    for (const index of [0, 1, 2]) bench.read(index, 200);
    expect(orderMs(bench)).to.equal(0);
    expect(bench.moved).to.deep.equal([]);
  });

  it("puts waiters in order by the nodes' clocks, if ours is far off, as soon as a quorum is known", () => {
    const bench = new OffsetsBench();
    bench.read(0, -AHEAD_MS);
    expect(orderMs(bench)).to.equal(0);
    bench.read(2, -AHEAD_MS);
    expect(orderMs(bench)).to.be.within(-AHEAD_MS - 1, -AHEAD_MS + 1);
    expect(bench.moved).to.have.lengthOf(1);
    expect(bench.moved[0]).to.be.within(-1_000 * (AHEAD_MS + 1), -1_000 * (AHEAD_MS - 1));
  });

  it("does not move waiters with each reading", () => {
    const bench = benchAhead();
    for (const index of [0, 1, 2]) bench.read(index, -AHEAD_MS + 100 * index);
    expect(bench.moved).to.have.lengthOf(1);
  });

  it("keeps to the nodes' time, and to what was assigned by it, when our clock is set right", () => {
    const bench = benchAhead();
    bench.clock.stepWall(-AHEAD_MS);
    for (const index of [0, 1, 2]) bench.read(index, 0);
    expect(orderMs(bench)).to.be.within(-1, 1);
    expect(bench.moved).to.have.lengthOf(1);
  });

  it("keeps to the nodes' time when our clock is set, and is as wrong as before", () => {
    const bench = benchAhead();
    bench.clock.stepWall(500);
    expect(orderMs(bench)).to.be.within(-AHEAD_MS - 501, -AHEAD_MS - 499);
    for (const index of [0, 1, 2]) bench.read(index, -AHEAD_MS - 500);
    expect(bench.moved).to.have.lengthOf(1);
  });

  it("goes by our clock again, if that is right, once the nodes' were set", () => {
    const bench = benchAhead();
    for (const index of [0, 1, 2]) bench.read(index, 0);
    expect(orderMs(bench)).to.equal(0);
    expect(bench.moved).to.have.lengthOf(2);
    expect((bench.moved[0] ?? 0) + (bench.moved[1] ?? 0)).to.be.within(-2_000, 2_000);
  });

  it("does not move waiters back and forth while our clock is off by about a second", () => {
    const bench = new OffsetsBench();
    for (const ms of [1_010, 990, 1_010, 990]) for (const index of [0, 1, 2]) bench.read(index, ms);
    expect(bench.moved).to.have.lengthOf(1);
  });

  it("keeps to the nodes' time while too little is known of them", () => {
    const bench = benchAhead();
    bench.clock.advance(61_000);
    bench.read(0, -AHEAD_MS);
    bench.offsets.read(1, bench.clock.wallUs() / 1_000 - AHEAD_MS, 5_000);
    bench.read(2, 0);
    expect(orderMs(bench)).to.be.within(-AHEAD_MS - 1, -AHEAD_MS + 1);
    expect(bench.moved).to.have.lengthOf(1);
  });
});
