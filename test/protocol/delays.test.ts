import { expect } from "chai";
import * as fc from "fast-check";
import { keepMs, keptMs, keyTtlMs, longerKeptMs } from "../../src/protocol/delays.js";
import { driftMs, validUntilMs } from "../../src/protocol/validity.js";
import { uniform } from "../support/uniform.js";

const ms = fc.integer({ min: 1, max: 60_000 });
const driftFactor = fc.constantFrom(0, 0.001, 0.01, 0.1);

describe("keyTtlMs", () => {
  it("is the ttl where there is no delay", () => {
    fc.assert(
      fc.property(ms, driftFactor, (ttlMs, factor) => {
        expect(keyTtlMs({ ttlMs, driftFactor: factor })).to.equal(ttlMs);
        expect(keyTtlMs({ ttlMs, driftFactor: factor, lockDelayMs: 0 })).to.equal(ttlMs);
      }),
    );
  });

  it("lets the key outlive the validity by the delay, whatever the clocks' rates", () => {
    fc.assert(
      fc.property(ms, ms, driftFactor, (ttlMs, lockDelayMs, factor) => {
        const lifeMs = keyTtlMs({ ttlMs, driftFactor: factor, lockDelayMs });
        // In true time: the node's clock as fast as it may be, the client's as slow.
        const [fast, slow] = [1 + factor / 2, 1 - factor / 2];
        const deadMs = lifeMs / fast;
        const overMs = validUntilMs(0, ttlMs, factor) / slow;
        expect(deadMs - overMs).to.be.at.least(lockDelayMs);
        expect(Number.isInteger(lifeMs)).to.equal(true);
        expect(lifeMs).to.equal(ttlMs + lockDelayMs + driftMs(lockDelayMs, factor));
      }),
    );
  });
});

describe("longerKeptMs", () => {
  it("is how long the name is kept, where that is longer than the ownerId says", () => {
    const clockStepMs = fc.integer({ min: 1, max: 60_000 });
    fc.assert(
      fc.property(ms, ms, clockStepMs, driftFactor, (ttlMs, longerMs, stepMs, factor) => {
        const life = { ttlMs, driftFactor: factor, clockStepMs: stepMs, lockDelayMs: 7 };
        const longer = { ...life, ttlMs: longerMs };
        const isLonger = keptMs(longer) > keptMs(life);
        expect(longerKeptMs(life, keyTtlMs(longer))).to.equal(
          isLonger ? keptMs(longer) : undefined,
        );
        // Nobody goes by it.
        expect(longerKeptMs({ ...life, clockStepMs: 0 }, keptMs(longer))).to.equal(undefined);
      }),
    );
  });
});

describe("keepMs", () => {
  it("covers the rest of the minimum hold on any clock, and is 0 when that is over", () => {
    const heldMs = uniform(0, 70_000);
    fc.assert(
      fc.property(ms, heldMs, driftFactor, (minHoldMs, held, factor) => {
        const kept = keepMs(minHoldMs, held, factor);
        expect(kept === 0).to.equal(held >= minHoldMs);
        if (kept === 0) return;
        expect(Number.isInteger(kept)).to.equal(true);
        const rest = minHoldMs - held;
        // The rest is told by a client's clock and kept by a node's, which may be faster by the factor.
        expect(kept).to.be.at.least(rest * (1 + factor));
        expect(kept).to.be.at.most(rest + driftMs(minHoldMs, factor) + 1);
      }),
    );
  });
});
