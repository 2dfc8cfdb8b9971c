import { expect } from "chai";
import * as fc from "fast-check";
import { AcquireAttempts } from "../../src/coordinator/acquire-attempts.js";
import { AcquireTimer } from "../../src/coordinator/acquire-timer.js";
import { QueuedAcquire } from "../../src/coordinator/queued-acquire.js";
import type { AttemptFailure } from "../../src/protocol/attempt-failure.js";
import { MIN_REFRESH_MS } from "../../src/protocol/place.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, held } from "../support/votes.js";

const WAIT_MS = 10_000;
const [MIN_DELAY_MS, MAX_DELAY_MS] = [10, 250];

/** An acquire that waits, first in line, with random numbers that are the test's. Its attempts are only counted. */
class Bench {
  readonly bench: CoordinatorBench;
  readonly timer: AcquireTimer;
  readonly queued: QueuedAcquire;
  unit = 0;
  /** When it asked, ms after the start. */
  readonly due: number[] = [];
  readonly startMs: number;

  constructor(attemptCount = 1) {
    const clock = new ManualClock();
    this.bench = new CoordinatorBench(3, clock, { ...heardInbox() });
    this.startMs = clock.now();
    const { context } = this.bench;
    const entropy = { ...context.entropy, unit: () => this.unit };
    const own = { ...context, entropy };
    const wait = {
      ...{ waitMs: WAIT_MS, minDelayMs: MIN_DELAY_MS, maxDelayMs: MAX_DELAY_MS, fair: false },
    };
    const [settings, deadlineMs] = [leaseSettings(), this.startMs + WAIT_MS];
    const request = { keys: KEYS, settings, wait, startedMs: this.startMs, deadlineMs };
    const attempts = new AcquireAttempts(own, KEYS, settings, { onOutcome: () => {} });
    attempts.count = attemptCount;
    this.timer = new AcquireTimer(own, (nowMs) => this.queued.onDue(nowMs), deadlineMs);
    this.queued = new QueuedAcquire(own, request, attempts, this.timer, {
      ask: (nowMs) => {
        this.timer.stop();
        this.due.push(nowMs - this.startMs);
      },
      fail: () => expect.fail("it gave up"),
    });
  }

  get nowMs(): number {
    return this.bench.clock.now();
  }

  sleepInPlace(quorumFreeInMs: number): void {
    const votes = [held(), held(), held()];
    const failure: AttemptFailure = { kind: "refused", votes, quorumFreeInMs, isOutrun: false };
    this.queued.onFailure(failure, this.nowMs);
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

describe("QueuedAcquire, in its place", () => {
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
    bench.unit = 1;
    bench.advance(20).queued.onTurn(false);
    bench.advance(WAIT_MS / 2);
    expect(bench.due).to.deep.equal([20 + MIN_DELAY_MS * 2]);
  });
});
