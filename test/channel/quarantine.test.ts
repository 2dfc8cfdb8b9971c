import { expect } from "chai";
import * as fc from "fast-check";
import { Quarantine, type QuarantineSettings } from "../../src/channel/quarantine.js";
import type { RecordOrder } from "../../src/channel/transport.js";
import { MAX_FENCE } from "../../src/protocol/fencing.js";
import type { Sighting } from "../../src/protocol/quarantine.js";
import type { IncarnationRecord, RecordState } from "../../src/protocol/record.js";
import { outwaitMs } from "../../src/protocol/lease-times.js";
import { ManualClock } from "../support/manual-clock.js";
import { at } from "../support/nodes.js";
import { recordOf } from "../support/scripted-transport.js";
import { MAX_TTL_MS, QUARANTINE_MS } from "../support/channel-bench.js";

const DRIFT = 0.01;

/** What a quarantined node reports until it is seen with a record that lets it vote. */
const LEAST_MS = 50;

interface Asked {
  readonly index: number;
  readonly order: RecordOrder | undefined;
  readonly atMs: number;
}

/** The quarantine of some nodes, as their channels use it. */
class Bench {
  readonly clock = new ManualClock(0);
  readonly sightings: (Sighting | undefined)[];
  readonly asked: Asked[] = [];
  readonly rejected: (readonly [index: number, fence: number])[] = [];
  mostFence = 1_000_000;
  readonly quarantine: Quarantine;

  constructor(nodeCount = 3, over: Partial<QuarantineSettings> = {}) {
    this.sightings = Array.from({ length: nodeCount }, () => undefined);
    this.quarantine = new Quarantine(
      {
        isQuarantineOn: true,
        isLooking: false,
        nodeCount,
        maxTtlMs: MAX_TTL_MS,
        raisesTtl: true,
        clockStepMs: 0,
        driftFactor: DRIFT,
        ...over,
      },
      this.clock,
      this.sightings,
      {
        judge: (fence) => (fence > this.mostFence ? "implausible" : "plausible"),
        reject: (index, fence) => {
          this.rejected.push([index, fence]);
          return "";
        },
      },
      (index, order) => this.asked.push({ index, order, atMs: this.clock.steady() }),
    );
  }

  /** The node is asked and answers at once. */
  see(index: number, record: Partial<IncarnationRecord>, over: Partial<Sighting> = {}): void {
    const before = this.sightings[index];
    const nowMs = this.clock.steady();
    const sighting: Sighting = {
      record: recordOf({ id: `record ${index}`, runId: `run ${index}`, ...record }),
      nodeTimeMs: 1_000_000 + nowMs,
      sentSteadyMs: nowMs,
      seenSteadyMs: nowMs,
      seenWallMs: this.clock.wallUs() / 1_000,
      sawChange: false,
      ownSinceMs: undefined,
      ...over,
    };
    this.sightings[index] = sighting;
    this.quarantine.onSeen(index, sighting, before);
  }

  /** All of them vote, with these highest fences. */
  seeOthers(fences: readonly number[]): void {
    fences.forEach((topFence, at) => this.see(at + 1, { topFence }));
  }

  get attestations(): readonly Asked[] {
    return this.asked.filter(({ order }) => order?.becomes === "attested");
  }

  /** Nodes that were asked without an order since the last call. */
  takeLooks(): readonly number[] {
    return this.asked
      .splice(0)
      .flatMap(({ index, order }) => (order === undefined ? [index] : []))
      .toSorted((a, b) => a - b);
  }
}

/** A record that is old by the clocks of the node, its writer and this client. */
const LONG_AGO = { writtenMs: 1_000_000 - 60_000, writerMs: 0 };

describe("Quarantine", () => {
  for (const [state, sawChange, isQuarantined] of [
    ["fresh", false, true],
    ["opening", false, true],
    ["open", false, false],
    ["open", true, true],
    ["forgot", false, true],
    ["forgot", true, true],
    ["attested", false, false],
    ["attested", true, false],
    ["unkept", false, false],
  ] as const satisfies readonly (readonly [RecordState, boolean, boolean])[]) {
    const who = sawChange ? "by a client that saw its data disappear" : "by a new client";
    it(`${isQuarantined ? "quarantines" : "lets vote"} a node seen as ${state} ${who}`, () => {
      const bench = new Bench();
      bench.see(0, { state }, { sawChange });
      expect(bench.quarantine.leftMs(0)).to.equal(isQuarantined ? QUARANTINE_MS : 0);
      expect(bench.quarantine.leftMs(1)).to.equal(0);
    });
  }

  it("counts from the first sighting of a record, and is never over before the node confirms it", () => {
    const passed = fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: 8 });
    fc.assert(
      fc.property(passed, (stepsMs) => {
        const bench = new Bench();
        bench.see(0, { state: "forgot" });
        for (const stepMs of stepsMs) {
          bench.clock.advance(stepMs);
          bench.see(0, { state: "forgot" });
          const leftMs = Math.max(LEAST_MS, QUARANTINE_MS - bench.clock.steady());
          expect(bench.quarantine.leftMs(0)).to.equal(leftMs);
        }
        bench.see(0, { state: "attested" });
        expect(bench.quarantine.leftMs(0)).to.equal(0);
      }),
      { numRuns: 30 },
    );
  });

  it("begins again with every other record, and when a batch finds another one", () => {
    const bench = new Bench();
    bench.see(0, { state: "forgot" });
    bench.clock.advance(4_000);
    bench.see(0, { state: "forgot", id: "next" });
    expect(bench.quarantine.leftMs(0)).to.equal(QUARANTINE_MS);
    bench.clock.advance(4_000);
    bench.quarantine.onForgot(0);
    expect(bench.quarantine.leftMs(0)).to.equal(QUARANTINE_MS);
  });

  it("lasts as long as the longest lease that any client of any node may use", () => {
    const ttl = fc.integer({ min: 100, max: 600_000 });
    fc.assert(
      fc.property(ttl, ttl, ttl, (own, ofNode, ofOther) => {
        const bench = new Bench(3, { maxTtlMs: own });
        bench.see(0, { state: "forgot", maxTtlMs: ofNode });
        bench.see(1, { maxTtlMs: ofOther });
        const lengthMs = outwaitMs(Math.max(own, ofNode, ofOther), DRIFT);
        expect(bench.quarantine.leftMs(0)).to.equal(lengthMs);
      }),
    );
  });

  it("does not attest a node before every earlier lease has ended, at whatever times it is seen", () => {
    const when = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 10 });
    const ttl = fc.integer({ min: 1_000, max: 20_000 });
    fc.assert(
      fc.property(when, ttl, fc.boolean(), (stepsMs, maxTtlMs, sawChange) => {
        const bench = new Bench(1, { maxTtlMs: 1_000 });
        bench.see(0, { state: "forgot", maxTtlMs }, { sawChange });
        for (const stepMs of stepsMs) {
          bench.clock.advance(stepMs);
          bench.see(0, { state: "forgot", maxTtlMs }, { sawChange });
        }
        bench.clock.advance(30_000);
        const overMs = outwaitMs(maxTtlMs, DRIFT);
        expect(at(bench.attestations, 0).atMs).to.be.within(overMs, overMs + 500);
        bench.quarantine.close();
      }),
      { numRuns: 20 },
    );
  });

  it("reads the node again and again, as another client may attest it first", () => {
    const bench = new Bench();
    bench.see(0, { state: "forgot" });
    bench.clock.advance(5_000);
    expect(bench.asked.map(({ atMs }) => atMs)).to.deep.equal(
      Array.from({ length: 10 }, (_, turn) => 500 * (turn + 1)),
    );
    expect(new Set(bench.takeLooks())).to.deep.equal(new Set([0]));
  });

  it("does not read a node whose data it saw disappear: no client has watched it for longer", () => {
    const bench = new Bench();
    bench.see(0, { state: "forgot" }, { sawChange: true });
    bench.clock.advance(QUARANTINE_MS - 1);
    expect(bench.asked).to.deep.equal([]);
  });

  describe("of a record that is old by all clocks", () => {
    it("is over at once", () => {
      const bench = new Bench(1);
      bench.see(0, { state: "forgot", ...LONG_AGO });
      expect(bench.quarantine.leftMs(0)).to.equal(LEAST_MS);
      bench.clock.advance(LEAST_MS);
      expect(bench.attestations).to.have.length(1);
    });

    it("is not shortened for a client that saw the data disappear", () => {
      const bench = new Bench(1);
      bench.see(0, { state: "forgot", ...LONG_AGO }, { sawChange: true });
      expect(bench.quarantine.leftMs(0)).to.equal(QUARANTINE_MS);
    });

    for (const [whose, own, ofRecord] of [
      ["this client expects", 60_000, 0],
      ["another client expects", 0, 60_000],
    ] as const) {
      it(`is not shortened where a clock may have gained what ${whose}`, () => {
        const bench = new Bench(1, { clockStepMs: own });
        bench.see(0, { state: "forgot", clockStepMs: ofRecord, ...LONG_AGO });
        expect(bench.quarantine.leftMs(0)).to.equal(QUARANTINE_MS);
      });
    }

    it("ends as it becomes old for a client that sees it later, which knows how much is left", () => {
      const bench = new Bench(1);
      const agedMs = QUARANTINE_MS / 2;
      const wallMs = bench.clock.wallUs() / 1_000;
      const written = { writtenMs: 1_000_000 - agedMs, writerMs: wallMs - agedMs };
      bench.see(0, { state: "forgot", ...written });
      const leftMs = QUARANTINE_MS + 1_000 - agedMs;
      expect(bench.quarantine.leftMs(0)).to.equal(leftMs);
      bench.clock.advance(leftMs - 1);
      expect(bench.attestations).to.have.length(0);
      bench.clock.advance(1);
      expect(bench.attestations).to.have.length(1);
    });

    it("is over when the record becomes old while it is watched", () => {
      const bench = new Bench(1);
      bench.see(0, { state: "forgot" });
      bench.clock.advance(100);
      bench.see(0, { state: "forgot", ...LONG_AGO });
      expect(bench.quarantine.leftMs(0)).to.equal(LEAST_MS);
    });
  });

  describe("when it is over", () => {
    it("asks the other nodes first, and attests with their highest fence", () => {
      const bench = new Bench(5);
      bench.see(0, { state: "forgot" }, { sawChange: true });
      // What was seen before does not count: fences were issued meanwhile.
      bench.seeOthers([900, 900, 900, 900]);
      bench.clock.advance(QUARANTINE_MS);
      expect(bench.attestations).to.deep.equal([]);
      expect(bench.takeLooks()).to.deep.equal([1, 2, 3, 4]);
      bench.seeOthers([30, 70]);
      bench.clock.advance(LEAST_MS);
      // Two of five do not meet every quorum.
      expect(bench.attestations).to.deep.equal([]);
      bench.seeOthers([30, 70, 50]);
      const order = { becomes: "attested", id: "record 0", topFence: 70 };
      expect(bench.attestations.map((asked) => asked.order)).to.deep.equal([order]);
    });

    it("waits for all others where some may have lost their fences, and not for those", () => {
      const bench = new Bench(5);
      bench.see(0, { state: "forgot" }, { sawChange: true });
      bench.seeOthers([0, 0, 5, 5]);
      bench.clock.advance(100);
      bench.see(1, { state: "forgot", id: "next" }, { sawChange: true });
      bench.see(2, { state: "unkept" });
      bench.clock.advance(QUARANTINE_MS - 100);
      expect(bench.attestations).to.deep.equal([]);
      // The two others do not meet every quorum, but most of them.
      expect(bench.takeLooks()).to.deep.equal([3, 4]);
      bench.see(3, { topFence: 6 });
      bench.clock.advance(LEAST_MS);
      expect(bench.attestations).to.deep.equal([]);
      bench.see(4, { topFence: 7 });
      bench.clock.advance(LEAST_MS);
      const [attested] = bench.attestations;
      expect([attested?.index, attested?.order]).to.deep.equal([
        0,
        { becomes: "attested", id: "record 0", topFence: 7 },
      ]);
    });

    it("is not over any more where the others have longer leases on record, and asks for their fences anew", () => {
      const bench = new Bench(3, { raisesTtl: false });
      bench.see(0, { state: "forgot", maxTtlMs: 1_000, ...LONG_AGO });
      bench.clock.advance(LEAST_MS);
      for (const at of [1, 2]) bench.see(at, { topFence: 5, maxTtlMs: 600_000 });
      expect(bench.attestations).to.deep.equal([]);
      const leftMs = bench.quarantine.leftMs(0);
      expect(leftMs).to.be.above(500_000);
      bench.clock.advance(leftMs);
      expect(bench.attestations).to.deep.equal([]);
      for (const at of [1, 2]) bench.see(at, { topFence: 9, maxTtlMs: 600_000 });
      bench.clock.advance(LEAST_MS);
      expect(bench.attestations[0]?.order).to.include({ becomes: "attested", topFence: 9 });
    });

    it("makes no floor from a fence that is implausible, and says whose it is", () => {
      for (const [fences, topFence, rejected] of [
        [[30, 1_000_000, 70, 50], 1_000_000, []],
        [[30, 1_000_001, 70, 50], 70, [2]],
        [[30, MAX_FENCE, 70, 50], 70, [2]],
        // The two others do not meet every quorum. The two nodes count as if they had lost their fences.
        [[MAX_FENCE, MAX_FENCE, 70, 50], 70, [1, 2]],
      ] as const) {
        const bench = new Bench(5);
        bench.see(0, { state: "forgot" }, { sawChange: true });
        bench.clock.advance(QUARANTINE_MS);
        bench.seeOthers(fences);
        bench.clock.advance(LEAST_MS);
        expect(bench.attestations).to.have.length.above(0);
        for (const { order } of bench.attestations) {
          expect(order).to.deep.equal({ becomes: "attested", id: "record 0", topFence });
        }
        expect([...new Set(bench.rejected.map(([index]) => index))]).to.deep.equal(rejected);
        bench.quarantine.close();
      }
    });

    it("waits half a second for nodes that do not answer, and asks them meanwhile", () => {
      const bench = new Bench(3);
      bench.see(0, { state: "forgot" }, { sawChange: true });
      bench.seeOthers([5, 5]);
      bench.clock.advance(QUARANTINE_MS);
      bench.see(1, { topFence: 40 });
      bench.clock.advance(499);
      expect(bench.attestations).to.deep.equal([]);
      expect(bench.takeLooks()).to.include.members([1, 2]);
      bench.clock.advance(LEAST_MS);
      expect(bench.attestations.map(({ order }) => order)).to.deep.equal([
        { becomes: "attested", id: "record 0", topFence: 40 },
      ]);
    });

    it("asks them at intervals, not again at each of their answers", () => {
      const bench = new Bench(3);
      bench.see(0, { state: "forgot" }, { sawChange: true });
      bench.seeOthers([5, 5]);
      bench.clock.advance(QUARANTINE_MS);
      const lookCounts = [0, 0, 0];
      for (let waitedMs = 0; waitedMs < 499; waitedMs++) {
        const looks = bench.takeLooks();
        for (const index of looks) lookCounts[index]! += 1;
        // One answers within a millisecond, the other never.
        if (looks.includes(1)) bench.see(1, { topFence: 40 });
        bench.clock.advance(1);
      }
      expect(lookCounts, "at once and then every 50 ms").to.deep.equal([0, 10, 10]);
    });

    it("repeats the order until the node is seen to vote", () => {
      const bench = new Bench(1);
      bench.see(0, { state: "forgot" }, { sawChange: true });
      bench.clock.advance(QUARANTINE_MS + 4 * LEAST_MS);
      expect(bench.attestations).to.have.length(5);
      bench.see(0, { state: "attested" });
      bench.clock.advance(10_000);
      expect(bench.attestations).to.have.length(5);
    });

    it("attests as soon as the last fence is seen on a node that votes", () => {
      const bench = new Bench(3);
      bench.see(0, { state: "forgot" }, { sawChange: true });
      bench.seeOthers([5, 5]);
      bench.clock.advance(QUARANTINE_MS);
      bench.seeOthers([6, 7]);
      expect(
        bench.attestations.map(({ index, order, atMs }) => [index, order, atMs]),
      ).to.deep.equal([[0, { becomes: "attested", id: "record 0", topFence: 7 }, QUARANTINE_MS]]);
    });
  });

  for (const [what, happened, act] of [
    [
      "restarted",
      /^restarted;/,
      (bench: Bench) => bench.see(0, { state: "forgot", id: "b", runId: "other" }),
    ],
    [
      "flushed",
      /^was flushed, or lost its data;/,
      (bench: Bench) => bench.see(0, { state: "forgot", id: "b" }),
    ],
    [
      "found without its record",
      /^was flushed, or lost its data;/,
      (bench: Bench) => bench.quarantine.onForgot(0),
    ],
  ] as const) {
    it(`says what happened to a node that was ${what}, and for how long it does not vote`, () => {
      const bench = new Bench();
      bench.see(0, { state: "attested" });
      act(bench);
      expect(bench.quarantine.problemOf(0)).to.match(happened).and.include(" it votes in 11 s,");
    });
  }

  for (const [state, happened] of [
    ["forgot", /^restarted or lost its data;/],
    [
      "fresh",
      /^has no record of having been used;.* if all nodes are new, start them .*\. If it lost its data while no client ran: `durable: true`/,
    ],
  ] as const) {
    it(`says what it knows about a node first seen as ${state}`, () => {
      const bench = new Bench();
      bench.see(0, { state });
      expect(bench.quarantine.problemOf(0)).to.match(happened);
    });
  }

  it("is to come for a node without a record where others have one, for a client that only looks", () => {
    const bench = new Bench(3, { isLooking: true });
    const bare = { record: undefined };
    for (const index of [0, 1]) bench.see(index, {}, bare);
    expect(
      [0, 1].map((index) => bench.quarantine.leftMs(index)),
      "a new deployment",
    ).to.deep.equal([0, 0]);
    for (const state of ["fresh", "opening", "unkept"] as const) {
      bench.see(2, { state });
      expect(bench.quarantine.leftMs(0), state).to.equal(0);
    }
    bench.see(2, { state: "attested" });
    expect([0, 1, 2].map((index) => bench.quarantine.leftMs(index))).to.deep.equal([
      QUARANTINE_MS,
      QUARANTINE_MS,
      0,
    ]);
    expect(bench.quarantine.problemOf(0)).to.include("has no record, but others have");
    bench.see(0, {}, bare);
    bench.takeLooks();
    bench.clock.advance(500);
    expect(bench.takeLooks(), "until another client has begun it").to.deep.equal([0, 1]);
    for (const index of [0, 1]) bench.see(index, { state: "attested" });
    expect(bench.quarantine.leftMs(0)).to.equal(0);
    bench.clock.advance(5_000);
    expect(bench.takeLooks()).to.deep.equal([]);
    expect(new Bench(1).quarantine.leftMs(0)).to.equal(0);
  });

  it("is empty and silent if it is off", () => {
    const bench = new Bench(3, { isQuarantineOn: false });
    bench.see(0, { state: "forgot" });
    bench.quarantine.onForgot(1);
    bench.clock.advance(60_000);
    expect([0, 1].map((index) => bench.quarantine.leftMs(index))).to.deep.equal([0, 0]);
    expect(bench.asked).to.deep.equal([]);
    expect(bench.clock.armedMs).to.deep.equal([]);
  });

  it("asks nothing after it is closed", () => {
    const bench = new Bench();
    bench.see(0, { state: "forgot" });
    bench.quarantine.close();
    expect(bench.clock.timerCount).to.equal(0);
    bench.clock.advance(60_000);
    expect(bench.asked).to.deep.equal([]);
  });
});
