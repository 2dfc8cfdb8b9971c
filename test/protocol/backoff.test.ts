import { expect } from "chai";
import * as fc from "fast-check";
import {
  backoffMs,
  briefCountAfter,
  reconnectDelayMs,
  turnWaitMs,
} from "../../src/protocol/backoff.js";
import { MAX_REFRESH_MS } from "../../src/protocol/node-queue.js";
import { uniform, unit } from "../support/uniform.js";

const delay = fc.integer({ min: 1, max: 10_000 });
const count = fc.integer({ min: 1, max: 10_000 });

describe("backoffMs", () => {
  it("stays between the shortest and the longest pause when nothing is known", () => {
    fc.assert(
      fc.property(count, delay, delay, unit, (attemptCount, a, b, u) => {
        const [minDelayMs, maxDelayMs] = [Math.min(a, b), Math.max(a, b)];
        const input = { attemptCount, minDelayMs, maxDelayMs, unit: u, quorumFreeInMs: Infinity };
        expect(backoffMs(input)).to.be.within(minDelayMs, maxDelayMs);
      }),
    );
  });

  it("never sleeps past the moment at which a quorum can be free, nor for nothing", () => {
    fc.assert(
      fc.property(count, unit, uniform(0, 1_000), (n, u, freeMs) => {
        const input = { attemptCount: n, minDelayMs: 10, maxDelayMs: 250, unit: u };
        const pause = backoffMs({ ...input, quorumFreeInMs: freeMs });
        expect(pause).to.be.greaterThan(0).and.at.most(Math.max(1, freeMs));
      }),
    );
  });

  it("doubles its range with every attempt, up to the longest pause", () => {
    const longest = [1, 2, 3, 4, 5, 6].map((attemptCount) =>
      Math.round(
        backoffMs({
          attemptCount,
          minDelayMs: 10,
          maxDelayMs: 250,
          quorumFreeInMs: Infinity,
          unit: 1 - 1e-12,
        }),
      ),
    );
    expect(longest).to.deep.equal([20, 40, 80, 160, 250, 250]);
  });

  it("spreads over the whole range: two contenders that split once need not split again", () => {
    const pause = (u: number): number =>
      backoffMs({ attemptCount: 1, minDelayMs: 10, maxDelayMs: 250, quorumFreeInMs: 500, unit: u });
    expect([0, 0.25, 0.5, 0.75].map(pause)).to.deep.equal([10, 12.5, 15, 17.5]);
  });
});

describe("turnWaitMs", () => {
  it("spreads those who wait for the same expiry over the shortest pause behind it", () => {
    const pause = (u: number): number =>
      turnWaitMs({ minDelayMs: 10, maxDelayMs: 2_000, quorumFreeInMs: 500, unit: u });
    expect([0, 0.25, 0.5, 0.75].map(pause)).to.deep.equal([500, 502.5, 505, 507.5]);
  });

  it("looks again within the longest pause, and not much sooner than that by itself", () => {
    fc.assert(
      fc.property(delay, delay, unit, (a, b, u) => {
        const [minDelayMs, maxDelayMs] = [Math.min(a, b), Math.max(a, b)];
        const pause = turnWaitMs({ minDelayMs, maxDelayMs, unit: u, quorumFreeInMs: Infinity });
        // Its place in the queue counts only for as long as it asks.
        const longestMs = Math.min(maxDelayMs, MAX_REFRESH_MS);
        const [least, most] = [longestMs / 2, longestMs].map((ms) => Math.max(minDelayMs, ms));
        expect(pause).to.be.within(least ?? 0, most ?? 0);
      }),
    );
  });

  it("looks soon after a quorum can be free by expiry, of which nobody is told", () => {
    fc.assert(
      fc.property(unit, uniform(0, 125), (u, freeMs) => {
        const input = { minDelayMs: 10, maxDelayMs: 250, unit: u, quorumFreeInMs: freeMs };
        expect(turnWaitMs(input)).to.be.within(
          Math.min(125, Math.max(1, freeMs)),
          Math.max(1, freeMs) + 10,
        );
      }),
    );
  });
});

describe("reconnectDelayMs", () => {
  it("is short, jittered and bounded, however often it failed", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), unit, (failedCount, u) => {
        expect(reconnectDelayMs(failedCount, u)).to.be.within(25, 1_000);
      }),
    );
  });

  it("doubles with every failure up to a second", () => {
    const longest = [1, 2, 3, 4, 5, 6, 7].map((count) => Math.round(reconnectDelayMs(count, 1)));
    expect(longest).to.deep.equal([50, 100, 200, 400, 800, 1_000, 1_000]);
  });
});

describe("briefCountAfter", () => {
  it("counts connections in a row that were in use for less than the longest pause", () => {
    const counts: number[] = [];
    let count = 0;
    for (const usedMs of [0, 999, Number.NEGATIVE_INFINITY, 5, 1_000, Number.NEGATIVE_INFINITY, 1])
      counts.push((count = briefCountAfter(count, usedMs)));
    expect(counts).to.deep.equal([1, 2, 2, 3, 0, 0, 1]);
  });
});
