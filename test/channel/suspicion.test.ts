import { expect } from "chai";
import * as fc from "fast-check";
import { Suspicion, type WatchedCalls } from "../../src/channel/suspicion.js";
import { ManualClock } from "../support/manual-clock.js";

const SUSPECT_MS = 50;
const GIVE_UP_MS = 500;

/** The calls to one node, answered in order, as a channel handles them. */
class Calls implements WatchedCalls {
  readonly clock = new ManualClock();
  readonly suspicion = new Suspicion(this.clock, SUSPECT_MS, GIVE_UP_MS, this);
  /** What was told, in order. */
  readonly told: string[] = [];
  /** When the calls without an answer were sent, ms. */
  sentMs: number[] = [];

  oldestSentMs(): number | undefined {
    return this.sentMs[0];
  }

  /** How long the oldest call has been without an answer, ms. */
  get ageMs(): number {
    return this.clock.now() - (this.oldestSentMs() ?? this.clock.now());
  }

  send(): void {
    const nowMs = this.clock.now();
    this.sentMs.push(nowMs);
    this.suspicion.watch(nowMs);
  }

  answer(): void {
    this.sentMs.shift();
    if (this.suspicion.isSuspected) this.suspicion.trust();
  }

  onSuspicion(): void {
    this.told.push(this.suspicion.isSuspected ? "suspected" : "trusted");
  }

  onBroken({ message, isMisconfigured }: { message: string; isMisconfigured: boolean }): void {
    this.told.push(message);
    if (isMisconfigured) this.told.push("misconfigured");
    this.sentMs = [];
    this.suspicion.reset();
  }
}

describe("Suspicion", () => {
  it("suspects a node whose oldest call has no answer for a while, and tells once", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.advance(SUSPECT_MS - 1);
    calls.send();
    expect(calls.told).to.deep.equal([]);
    calls.clock.advance(1);
    expect(calls.told).to.deep.equal(["suspected"]);
    calls.clock.advance(SUSPECT_MS);
    expect(calls.told).to.deep.equal(["suspected"]);
  });

  it("closes the connection after a longer time, and says after how long", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.advance(GIVE_UP_MS - 1);
    expect(calls.told).to.deep.equal(["suspected"]);
    calls.clock.advance(1);
    expect(calls.told).to.deep.equal(["suspected", "no answer for 500 ms"]);
    expect(calls.clock.timerCount).to.equal(0);
  });

  it("trusts the node again from its next answer, and tells", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.advance(SUSPECT_MS);
    calls.answer();
    expect(calls.suspicion.isSuspected).to.equal(false);
    expect(calls.told).to.deep.equal(["suspected", "trusted"]);
    expect(calls.clock.timerCount).to.equal(0);
  });

  it("is about the oldest call, at whatever times calls are sent and answered", () => {
    const event = fc.record({
      afterMs: fc.integer({ min: 0, max: 80 }),
      isAnswer: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const calls = new Calls();
        let trustedMs = Number.NEGATIVE_INFINITY;
        for (const { afterMs, isAnswer } of events) {
          for (let passed = 0; passed < afterMs; passed++) {
            calls.clock.advance(1);
            // An answer gives the calls that were sent later one more millisecond.
            const isKnown = calls.ageMs < SUSPECT_MS || calls.clock.now() > trustedMs;
            const isRight = calls.suspicion.isSuspected === calls.ageMs >= SUSPECT_MS;
            const { timerCount } = calls.clock;
            if ((isKnown && !isRight) || calls.ageMs >= GIVE_UP_MS || timerCount > 1) {
              expect.fail(`after ${calls.ageMs} ms: ${calls.told.join()}, ${timerCount} timers`);
            }
          }
          if (!isAnswer) calls.send();
          else if (calls.sentMs.length > 0) {
            calls.answer();
            trustedMs = calls.clock.now();
            expect(calls.suspicion.isSuspected).to.equal(false);
          }
        }
        calls.suspicion.reset();
      }),
      { numRuns: 50 },
    );
  });

  it("looks for answers that arrived while this process stalled before it suspects anybody", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.stall(GIVE_UP_MS + SUSPECT_MS);
    // The late timer defers the judgement to the next turn of the event loop, where the answer is read.
    let turns = 0;
    const setTimer = calls.clock.setTimer.bind(calls.clock);
    calls.clock.setTimer = (delayMs, callback) => {
      turns++;
      calls.answer();
      return setTimer(delayMs, callback);
    };
    calls.clock.advance(0);
    expect(turns).to.equal(1);
    expect(calls.told).to.deep.equal([]);
  });

  it("blames the node if nothing has arrived after a stall either", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.stall(SUSPECT_MS + 100);
    calls.clock.advance(0);
    expect(calls.told).to.deep.equal(["suspected"]);
  });

  it("counts the time for which the machine was suspended", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.suspend(10_000);
    calls.clock.advance(SUSPECT_MS);
    expect(calls.told).to.deep.equal(["no answer for 10050 ms"]);
  });

  it("turns to the next call if the oldest one is dropped, without telling again", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.advance(10);
    calls.send();
    calls.clock.advance(SUSPECT_MS);
    calls.sentMs.shift();
    calls.clock.advance(GIVE_UP_MS - SUSPECT_MS - 1);
    expect(calls.told).to.deep.equal(["suspected"]);
    calls.clock.advance(1);
    expect(calls.told).to.deep.equal(["suspected", "no answer for 500 ms"]);
  });

  it("forgets everything when the calls are dropped", () => {
    const calls = new Calls();
    calls.send();
    calls.clock.advance(SUSPECT_MS);
    calls.sentMs = [];
    calls.suspicion.reset();
    expect(calls.suspicion.isSuspected).to.equal(false);
    expect(calls.clock.timerCount).to.equal(0);
    calls.send();
    calls.clock.advance(SUSPECT_MS - 1);
    expect(calls.told).to.deep.equal(["suspected"]);
    calls.clock.advance(1);
    expect(calls.told).to.deep.equal(["suspected", "suspected"]);
  });
});
