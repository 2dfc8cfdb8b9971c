import { expect } from "chai";
import * as fc from "fast-check";
import {
  drawnToken,
  FENCE_STEP,
  fenceAfter,
  FENCE_LEAD_US,
  fenceSlackUs,
  implausibleText,
  judgeFence,
  MAX_FENCE,
  sealState,
  tooFarAhead,
} from "../../src/protocol/fencing.js";
import type { Vote } from "../../src/protocol/operation.js";
import { fault, granted, held } from "../support/votes.js";

const us = fc.integer({ min: 0, max: 2 ** 52 });

describe("fenceAfter", () => {
  it("is the next fence, above every token that the last one stands for", () => {
    fc.assert(
      fc.property(us, (token) => {
        const next = fenceAfter(token);
        expect(next % FENCE_STEP).to.equal(0);
        expect(next).to.be.within(token + 1, token + FENCE_STEP);
      }),
    );
  });
});

describe("fenceSlackUs", () => {
  it("allows a quarter of the quarantine, so that nodes whose clocks differ by seconds agree at once", () => {
    expect(fenceSlackUs(60_000)).to.equal(15_000_000);
  });

  it("is less than half the quarantine on both sides together", () => {
    for (const maxTtlMs of [10, 11, 1_000, 60_000, 86_400_000]) {
      expect(fenceSlackUs(maxTtlMs)).to.be.lessThan((maxTtlMs * 1_000) / 2);
      expect(Number.isInteger(fenceSlackUs(maxTtlMs))).to.equal(true);
    }
  });
});

describe("drawnToken", () => {
  const vote = fc.oneof(
    fc.integer({ min: 1, max: 4 }).map((fence) => granted(fence)),
    fc.constantFrom<Vote | undefined>(held(), fault(), undefined),
  );

  it("is the largest fence that was granted, and sealed is where that was", () => {
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 9 }), (votes) => {
        const fences = votes.map((each) => (each?.kind === "granted" ? each.fence : 0));
        const { token, sealed } = drawnToken(votes);
        expect(token).to.equal(Math.max(...fences));
        const isSealed = fences.map((_, index) => (sealed & (1 << index)) !== 0);
        expect(isSealed).to.deep.equal(fences.map((fence) => fence > 0 && fence === token));
      }),
    );
  });
});

describe("sealState", () => {
  it("tells how a fence stands to the token", () => {
    expect(sealState(6, 7)).to.equal("behind");
    expect(sealState(7, 7)).to.equal("sealed");
    expect(sealState(8, 7)).to.equal("ahead");
  });

  it("still tells neighbours apart at the largest fence", () => {
    expect(sealState(MAX_FENCE - 1, MAX_FENCE)).to.equal("behind");
    expect(sealState(MAX_FENCE, MAX_FENCE)).to.equal("sealed");
    expect(MAX_FENCE).to.equal(2 ** 53 - 1);
  });
});

describe("judgeFence", () => {
  const [HOUR, YEAR] = [3_600_000, 365.25 * 86_400_000];
  const nowMs = Date.UTC(2026, 0, 1);
  const usOf = (ms: number): number => ms * 1_000;
  /** By number of nodes: how many of their clocks may be wrong. */
  const SPARE = [
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 1],
    [5, 2],
    [7, 3],
  ] as const;

  it("allows ten years, in microseconds", () => {
    expect(FENCE_LEAD_US).to.equal(usOf(10 * YEAR));
  });

  for (const [nodeCount, spare] of SPARE) {
    it(`of ${nodeCount} nodes goes by our clock, or by the node clock that comes after ${spare} larger ones`, () => {
      for (const [wallMs, clockMs] of [
        [nowMs, nowMs],
        [nowMs, nowMs + YEAR],
        [nowMs, nowMs - YEAR],
        [0, nowMs],
      ] as const) {
        // Larger ones that are wrong, the one that counts, and smaller ones that may be wrong as well.
        const clocks = Array.from({ length: nodeCount }, (_, index) => {
          if (index < spare) return clockMs + 100 * YEAR + index;
          return index === spare ? clockMs : index;
        });
        const limit = usOf(Math.max(wallMs, clockMs)) + FENCE_LEAD_US;
        for (const nodeTimes of [clocks, clocks.toReversed()]) {
          for (const [fence, verdict] of [
            [0, "plausible"],
            [usOf(nowMs), "plausible"],
            [limit - 1, "plausible"],
            [limit, "plausible"],
            [limit + 1, "implausible"],
            [MAX_FENCE - 1, "implausible"],
            [MAX_FENCE, "implausible"],
            [MAX_FENCE + 1, "implausible"],
            [Number.POSITIVE_INFINITY, "implausible"],
            [Number.NaN, "implausible"],
            [-1, "implausible"],
            [1.5, "implausible"],
          ] as const) {
            const found = judgeFence(fence, usOf(wallMs), { timesMs: nodeTimes }, nodeCount);
            expect(found, `${fence} at ${wallMs}, ${nodeTimes.join(" ")}`).to.equal(verdict);
          }
        }
      }
    });

    it(`of ${nodeCount} nodes does not judge by our clock alone, nor by ${spare} nodes'`, () => {
      const absurd = usOf(nowMs) + FENCE_LEAD_US + 1;
      const clocks = Array.from({ length: nodeCount }, () => nowMs);
      for (let known = 0; known <= nodeCount; known++) {
        const judged = (fence: number): string =>
          judgeFence(fence, usOf(nowMs), { timesMs: clocks.slice(0, known) }, nodeCount);
        const found = judged(absurd);
        expect(found, `${known} known`).to.equal(known > spare ? "implausible" : "unknown");
        expect(judged(usOf(nowMs))).to.equal("plausible");
      }
    });
  }

  const off = fc.constantFrom(0, HOUR, -HOUR, YEAR, -YEAR, 5 * HOUR, -5 * YEAR);
  it("believes every fence of an honest quorum, whatever our clock and those of the others show", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...SPARE),
        fc.array(off, { minLength: 7, maxLength: 7 }),
        fc.array(fc.integer({ min: -1_000, max: 2 ** 42 }), { minLength: 3, maxLength: 3 }),
        fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 42 })),
        ([nodeCount, spare], offsets, wrong, wallMs) => {
          const honest = offsets.slice(0, nodeCount - spare).map((ms) => nowMs + ms);
          const clocks = [...honest, ...wrong.slice(0, spare)];
          const newest = Math.max(...honest);
          // Nodes that differ by up to ten years have each other's fences.
          const fence = usOf(Math.min(newest, Math.min(...honest) + 10 * YEAR));
          expect(judgeFence(fence, usOf(wallMs), { timesMs: clocks }, nodeCount)).to.equal(
            "plausible",
          );
        },
      ),
    );
  });

  it("believes a fence that was too far ahead when the clocks have moved on by as much", () => {
    const absurd = usOf(nowMs) + FENCE_LEAD_US + 1_000;
    const at = (ms: number): string => judgeFence(absurd, usOf(ms), { timesMs: [ms, ms, ms] }, 3);
    expect([at(nowMs), at(nowMs + 1)]).to.deep.equal(["implausible", "plausible"]);
  });
});

describe("implausibleText", () => {
  it("names what to delete, which makes the node ask the others for their fences", () => {
    expect(implausibleText(tooFarAhead(7))).to.match(
      /^its fence 7 is more than ten years ahead .*: delete the key quorate:incarnation there\./,
    );
  });
});
