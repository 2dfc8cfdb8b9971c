import { expect } from "chai";
import * as fc from "fast-check";
import {
  bootstrapWindowMs,
  giveUpAfterMs,
  handshakeTimeoutMs,
} from "../../src/protocol/deadlines.js";

const nodeTimeout = fc.integer({ min: 1, max: 60_000 });
const maxTtl = fc.integer({ min: 10, max: 3_600_000 });

describe("the deadlines that follow from the node timeout", () => {
  for (const [nodeTimeoutMs, maxTtlMs, handshakeMs, giveUpMs, windowMs] of [
    [50, 60_000, 1_000, 2_000, 2_000],
    [500, 60_000, 1_000, 2_500, 2_000],
    [1_000, 60_000, 2_000, 5_000, 4_000],
    [10_000, 60_000, 20_000, 50_000, 30_000],
    [500, 1_000, 1_000, 2_500, 500],
  ] as const) {
    it(`${nodeTimeoutMs} ms, longest ttl ${maxTtlMs} ms`, () => {
      expect(handshakeTimeoutMs(nodeTimeoutMs)).to.equal(handshakeMs);
      expect(giveUpAfterMs(nodeTimeoutMs)).to.equal(giveUpMs);
      expect(bootstrapWindowMs(nodeTimeoutMs, maxTtlMs)).to.equal(windowMs);
    });
  }

  it("leave an answer its time before a connection is given up, and the handshake its several", () => {
    fc.assert(
      fc.property(nodeTimeout, (ms) => {
        expect(giveUpAfterMs(ms)).to.be.above(2 * ms);
        expect(handshakeTimeoutMs(ms)).to.be.at.least(2 * ms);
      }),
    );
  });

  it("end a bootstrap before a lease of those who saw the nodes earlier can be half over", () => {
    fc.assert(
      fc.property(nodeTimeout, maxTtl, (ms, ttlMs) => {
        expect(bootstrapWindowMs(ms, ttlMs)).to.be.at.most(ttlMs / 2);
      }),
    );
  });
});
