import { expect } from "chai";
import * as fc from "fast-check";
import { AcquireTimer } from "../../src/coordinator/acquire-timer.js";
import type { Waiter } from "../../src/protocol/waiter.js";
import { CoordinatorBench, heardInbox, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";

const WAIT_MS = 10_000;
const WAITER: Waiter = { inbox: "inbox", ticket: 5, turnMs: 20 };

/** The timer of an acquire that has just begun. */
class Bench {
  readonly bench = new CoordinatorBench(3, new ManualClock(), {
    ...heardInbox(),
  });
  readonly timer: AcquireTimer;
  /** When it was due, ms after the start. */
  readonly due: number[] = [];
  readonly startMs = this.bench.clock.now();

  constructor() {
    const onDue = (nowMs: number): void => void this.due.push(nowMs - this.startMs);
    this.timer = new AcquireTimer(this.bench.context, onDue, this.startMs + WAIT_MS);
  }

  get nowMs(): number {
    return this.bench.clock.now();
  }

  advance(ms: number): this {
    this.bench.clock.advance(ms);
    return this;
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

  it("is due when it is told, even beyond its deadline", () => {
    const bench = new Bench();
    bench.timer.sleepUntil(bench.startMs + WAIT_MS);
    bench.advance(WAIT_MS - 1);
    bench.timer.hurryAt(bench.nowMs + 5);
    bench.advance(10);
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

  it("sleeps all the same where it has no place, and leaves the one that it has when it is stopped", () => {
    for (const place of [
      undefined,
      { keys: KEYS, waiter: WAITER, nodeTimeoutMs: 50, onLook: () => {} },
    ]) {
      const bench = new Bench();
      const { places } = bench.bench.context.waitQueues;
      bench.timer.sleepInPlace(bench.startMs + 20, place);
      const count = place === undefined ? 0 : 1;
      expect([bench.timer.isInPlace, places?.size]).to.deep.equal([count === 1, count]);
      bench.advance(20);
      expect(bench.due).to.deep.equal([20]);
      bench.timer.stop();
      expect([bench.timer.isInPlace, places?.size]).to.deep.equal([false, 0]);
    }
  });

  it("is woken no later for being put off, and earlier where it is to ask earlier", () => {
    for (const { askAtMs, due } of [
      { askAtMs: 50, due: 50 },
      { askAtMs: 300, due: 100 },
    ]) {
      const bench = new Bench();
      bench.timer.sleepUntil(bench.startMs + 100);
      bench.timer.putOff(bench.startMs + askAtMs);
      expect(bench.timer.askAtMs).to.equal(bench.startMs + askAtMs);
      bench.advance(WAIT_MS);
      expect(bench.due).to.deep.equal([due]);
    }
  });
});
