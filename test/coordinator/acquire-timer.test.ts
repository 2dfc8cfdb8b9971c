import { expect } from "chai";
import * as fc from "fast-check";
import { AcquireTimer } from "../../src/coordinator/acquire-timer.js";
import type { WaitSettings } from "../../src/coordinator/pauses.js";
import type { Waiter } from "../../src/protocol/waiter.js";
import { MIN_REFRESH_MS } from "../../src/protocol/place.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault } from "../support/votes.js";

const WAIT_MS = 10_000;
const [MIN_DELAY_MS, MAX_DELAY_MS] = [10, 250];
const WAITER: Waiter = { inbox: "inbox", ticket: 5, turnMs: 20 };

/** The timer of an acquire that has just begun, with random numbers that are the test's. */
class Bench {
  readonly bench = new CoordinatorBench(3, new ManualClock(), {
    ...heardInbox(),
  });
  readonly timer: AcquireTimer;
  unit = 0;
  /** When it was due, ms after the start. */
  readonly due: number[] = [];
  readonly startMs = this.bench.clock.now();
  readonly #wait: WaitSettings = {
    ...{ waitMs: WAIT_MS, minDelayMs: MIN_DELAY_MS, maxDelayMs: MAX_DELAY_MS, fair: false },
  };

  constructor(attemptCount = 1) {
    const { context } = this.bench;
    const entropy = { ...context.entropy, unit: () => this.unit };
    const acquire = {
      attemptCount,
      onDue: (nowMs: number) => this.due.push(nowMs - this.startMs),
    };
    const deadlineMs = this.startMs + WAIT_MS;
    this.timer = new AcquireTimer({ ...context, entropy }, acquire, this.#wait, deadlineMs);
  }

  get nowMs(): number {
    return this.bench.clock.now();
  }

  sleepInPlace(quorumFreeInMs: number, hasPlace = true): void {
    const { startMs } = this;
    const request = {
      ...{ keys: KEYS, settings: leaseSettings(), wait: this.#wait, startedMs: startMs },
      deadlineMs: startMs + WAIT_MS,
    };
    this.timer.sleepInPlace(this.nowMs, request, hasPlace ? WAITER : undefined, quorumFreeInMs);
  }

  advance(ms: number): this {
    this.bench.clock.advance(ms);
    return this;
  }

  get placeCount(): number | undefined {
    return this.bench.context.waitQueues.places?.size;
  }

  /** All nodes say that the name is free in so many ms from then on. */
  freeAfter(ms: number): void {
    this.bench.blockFor(ms);
  }
}

describe("AcquireTimer", () => {
  it("is due once, when it was set to last, and at its deadline if that is earlier", () => {
    const times = fc.array(fc.nat(2 * WAIT_MS), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(times, (all) => {
        const bench = new Bench();
        for (const ms of all) bench.timer.sleepUntil(bench.startMs + ms);
        bench.advance(3 * WAIT_MS);
        expect(bench.due).to.deep.equal([Math.min(all.at(-1) ?? 0, WAIT_MS)]);
      }),
    );
  });

  it("is due at its deadline at the latest where it sleeps without an end", () => {
    const bench = new Bench();
    bench.timer.sleepUntil(Number.POSITIVE_INFINITY);
    bench.advance(WAIT_MS - 1);
    expect(bench.due).to.deep.equal([]);
    bench.advance(1);
    expect(bench.due).to.deep.equal([WAIT_MS]);
  });

  it("sleeps no longer for being told to sleep at most so long", () => {
    for (const { pauseMs, due } of [
      { pauseMs: 50, due: 60 },
      { pauseMs: 300, due: 100 },
    ]) {
      const bench = new Bench();
      bench.timer.sleepUntil(bench.startMs + 100);
      bench.advance(10).timer.sleepAtMost(bench.nowMs, pauseMs);
      bench.advance(WAIT_MS);
      expect(bench.due).to.deep.equal([due]);
    }
  });

  it("is due when it is told, even beyond its deadline", () => {
    const bench = new Bench();
    bench.timer.sleepUntil(bench.startMs + WAIT_MS);
    bench.advance(WAIT_MS - 1);
    bench.timer.hurryAt(bench.nowMs + 5);
    bench.advance(MIN_DELAY_MS);
    expect(bench.due).to.deep.equal([WAIT_MS + 4]);
  });

  it("is not due after it was stopped", () => {
    const bench = new Bench();
    bench.timer.sleepUntil(bench.startMs + 100);
    bench.timer.stop();
    bench.timer.stop();
    bench.advance(2 * WAIT_MS);
    expect(bench.due).to.deep.equal([]);
  });
});

describe("AcquireTimer, in its place", () => {
  it("keeps a place in the nodes' queues until it is stopped", () => {
    const bench = new Bench();
    expect(bench.timer.isInPlace).to.equal(false);
    bench.sleepInPlace(5_000);
    expect([bench.timer.isInPlace, bench.placeCount]).to.deep.equal([true, 1]);
    bench.timer.stop();
    expect([bench.timer.isInPlace, bench.placeCount]).to.deep.equal([false, 0]);
    bench.advance(2 * WAIT_MS);
    expect(bench.due).to.deep.equal([]);
    expect(bench.bench.nodes[0]?.refreshes).to.deep.equal([]);
  });

  it("sleeps all the same where it has no place", () => {
    const bench = new Bench();
    bench.sleepInPlace(3_000, false);
    expect([bench.timer.isInPlace, bench.placeCount]).to.deep.equal([false, 0]);
    bench.advance(WAIT_MS);
    expect(bench.due).to.deep.equal([3_000]);
  });

  it("asks when a quorum can be free by expiry, with jitter", () => {
    for (const [number, due] of [
      [0, 200],
      [0.5, 200 + MIN_DELAY_MS / 2],
    ] as const) {
      const bench = new Bench();
      bench.unit = number;
      bench.sleepInPlace(200);
      // Before the first refresh.
      bench.advance(MIN_REFRESH_MS - 1);
      expect(bench.due).to.deep.equal([due]);
    }
  });

  /** When it asks, told at first that the name is free in so long, and by refreshes that it is free then. */
  function askedMs(firstMs: number, freeAtMs: number): number {
    const bench = new Bench();
    bench.freeAfter(freeAtMs);
    bench.sleepInPlace(firstMs);
    bench.advance(2 * WAIT_MS);
    expect(bench.due).to.have.length(1);
    return bench.due[0] ?? -1;
  }

  it("asks later, and not before, where refreshes say that the name is still held", () => {
    const first = fc.integer({ min: MIN_REFRESH_MS + 1, max: WAIT_MS });
    fc.assert(
      fc.property(first, fc.nat(2 * WAIT_MS), (firstMs, laterMs) => {
        const freeAtMs = firstMs + laterMs;
        expect(askedMs(firstMs, freeAtMs)).to.equal(Math.min(freeAtMs, WAIT_MS));
      }),
      { numRuns: 30 },
    );
  });

  it("asks earlier where a refresh says that the name is free earlier", () => {
    const freeAt = fc.integer({ min: 0, max: WAIT_MS / 2 });
    fc.assert(
      fc.property(freeAt, (freeAtMs) => {
        const asked = askedMs(WAIT_MS, freeAtMs);
        // At the first refresh that says so.
        expect(asked).to.be.at.least(freeAtMs);
        expect(asked).to.be.at.most(Math.max(freeAtMs, MIN_REFRESH_MS));
      }),
      { numRuns: 30 },
    );
  });

  it("asks by an attempt, after a pause, and keeps no place, where no quorum answers a refresh", () => {
    for (const attemptCount of [1, 3]) {
      const bench = new Bench(attemptCount);
      bench.unit = 0.5;
      for (const node of bench.bench.nodes) node.look = fault("disconnected");
      bench.sleepInPlace(WAIT_MS);
      bench.advance(MIN_REFRESH_MS);
      expect([bench.timer.isInPlace, bench.placeCount]).to.deep.equal([false, 0]);
      expect(bench.due).to.deep.equal([]);
      bench.advance(WAIT_MS);
      const capMs = MIN_DELAY_MS * 2 ** attemptCount;
      const pauseMs = MIN_DELAY_MS + (capMs - MIN_DELAY_MS) / 2;
      expect(bench.due).to.deep.equal([MIN_REFRESH_MS + pauseMs]);
    }
  });

  it("is not put off by that: it asks when it would have", () => {
    const bench = new Bench(5);
    bench.unit = 0.5;
    for (const node of bench.bench.nodes) node.look = fault("disconnected");
    const freeMs = MIN_REFRESH_MS + 20;
    bench.sleepInPlace(freeMs);
    bench.advance(WAIT_MS);
    expect(bench.due).to.deep.equal([freeMs + MIN_DELAY_MS / 2]);
  });

  it("asks although the name is held, if some nodes have notified it since", () => {
    const bench = new Bench();
    bench.sleepInPlace(WAIT_MS);
    bench.advance(20).timer.sleepAtMost(bench.nowMs, 30);
    bench.advance(WAIT_MS / 2);
    expect(bench.due).to.deep.equal([50]);
  });
});
