import { expect } from "chai";
import { keysOf } from "../../../src/kinds/exclusive.js";
import { LeaseState, leaseSettings } from "../../../src/integrations/redlock/lease-state.js";
import { DEFAULT_SETTINGS } from "../../../src/integrations/redlock/settings.js";
import { CoordinatorBench } from "../../support/coordinator-bench.js";

const A = [keysOf("", "a")];

describe("LeaseState", () => {
  it("keeps the longest ttl that a key of the lock can have, and the latest end", () => {
    const { context, clock } = new CoordinatorBench();
    const of = (ttlMs: number, leftMs: number) => ({
      context,
      settings: leaseSettings(ttlMs, DEFAULT_SETTINGS),
      validUntilMs: clock.now() + leftMs,
    });
    const state = new LeaseState(A, "me", of(5_000, 4_000));
    state.onExtended(of(1_000, 900));
    expect([state.ttlMs, state.remainingMs]).to.deep.equal([5_000, 900]);
    state.onExtended(of(7_000, 6_000));
    expect([state.ttlMs, state.remainingMs]).to.deep.equal([7_000, 6_000]);
  });

  it("is held until its end, by the clock or by a release", () => {
    const { context, clock } = new CoordinatorBench();
    const settings = leaseSettings(100, DEFAULT_SETTINGS);
    const state = new LeaseState(A, "me", { context, settings, validUntilMs: clock.now() + 90 });
    clock.advance(89);
    expect(state.isHeld).to.equal(true);
    clock.advance(1);
    expect([state.isHeld, state.remainingMs]).to.deep.equal([false, 0]);
    state.onExtended({ context, settings, validUntilMs: clock.now() + 90 });
    expect(state.isHeld).to.equal(true);
    state.onReleasing();
    expect(state.isHeld).to.equal(false);
  });
});

describe("the deadline of a node", () => {
  for (const { durationMs, leftMs, timeoutMs } of [
    { durationMs: 10_000, leftMs: undefined, timeoutMs: 1_000 },
    { durationMs: 1_000, leftMs: undefined, timeoutMs: 200 },
    { durationMs: 200, leftMs: undefined, timeoutMs: 50 },
    { durationMs: 60, leftMs: undefined, timeoutMs: 30 },
    { durationMs: 10_000, leftMs: 900, timeoutMs: 300 },
    { durationMs: 10_000, leftMs: 1, timeoutMs: 20 },
  ]) {
    const left = leftMs === undefined ? "" : `, extended with ${leftMs} ms left`;
    it(`is ${timeoutMs} ms for a lock of ${durationMs} ms${left}`, () => {
      const { nodeTimeoutMs } = leaseSettings(durationMs, DEFAULT_SETTINGS, leftMs);
      expect(nodeTimeoutMs).to.equal(timeoutMs);
    });
  }
});
