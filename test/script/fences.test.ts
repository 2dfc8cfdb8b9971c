import { expect } from "chai";
import * as fc from "fast-check";
import { bytesOf } from "../../src/memory/bytes.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import { plainReply } from "../../src/memory/reply.js";
import { FENCE_STEP, fenceAfter, fenceSlackUs, MAX_FENCE } from "../../src/protocol/fencing.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { decodeReply } from "../../src/script/batch-decoder.js";
import { encodeBatch } from "../../src/script/batch-encoder.js";
import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import { operationOf, type OperationSpec } from "../support/conformance/node-under-test.js";

interface Asked {
  /** What the node remembers; undefined if nothing. */
  readonly fence?: number;
  readonly proposal: number;
  readonly nodeTimeUs: number;
  readonly slackUs: number;
}

/** The plain acquire, and that of one who waits. */
const PATHS: Readonly<Record<string, Partial<OperationSpec>>> = {
  "the fast path": {},
  "the slow path": { inbox: "p" },
};

const us = fc.integer({ min: 0, max: 2 ** 52 });
const slack = fc.integer({ min: 0, max: 2 ** 40 });

for (const [path, more] of Object.entries(PATHS)) {
  /** The fence that the script gives to an acquire of a free name. */
  const fenceFor = ({ fence, proposal, nodeTimeUs, slackUs }: Asked): number => {
    const redis = new MemoryRedis({ nowUs: () => nodeTimeUs });
    const execute = (...argv: string[]): unknown => plainReply(redis.execute(argv.map(bytesOf)));
    const operation = operationOf({ kind: "acquire", fence: proposal, ...more }, nodeTimeUs);
    const { fenceBucket } = operation.keys;
    if (fence !== undefined) {
      execute("HSET", RECORD_KEY, fenceBucket, String(fence), "top", String(fence));
    }
    const constants = { fenceSlackUs: slackUs };
    const answer = execute("EVAL", BATCH_SCRIPT, ...encodeBatch([operation], "", 1, constants));
    const reply = decodeReply(answer, [operation]);
    const [vote] = reply.kind === "votes" ? reply.votes : [];
    if (vote?.kind !== "granted") throw new Error(`not granted: ${JSON.stringify(reply)}`);
    expect(execute("HGET", RECORD_KEY, fenceBucket), "stored").to.equal(String(vote.fence));
    return vote.fence;
  };

  describe(`the fence of a grant, on ${path}`, () => {
    it("always grows, whatever is proposed and whatever the time is", () => {
      fc.assert(
        fc.property(us, us, us, slack, (fence, proposal, nodeTimeUs, slackUs) => {
          const given = fenceFor({ fence, proposal, nodeTimeUs, slackUs });
          expect(given).to.be.at.least(fenceAfter(fence));
          expect(given % FENCE_STEP).to.equal(0);
        }),
      );
    });

    it("is a proposal within the slack of the node's clock as it is, and any other not moved further than needed", () => {
      const fences = [1_000, 1_200, 999, 1_201].map((proposal) => {
        return fenceFor({ proposal, nodeTimeUs: 1_100, slackUs: 100 });
      });
      expect(fences).to.deep.equal([1_000, 1_200, 1_000, 1_200]);
    });

    it("is not used up by a mad client clock", () => {
      fc.assert(
        fc.property(us, us, slack, (fence, nodeTimeUs, slackUs) => {
          const given = fenceFor({ fence, proposal: MAX_FENCE, nodeTimeUs, slackUs });
          expect(given).to.be.at.most(Math.max(fenceAfter(fence), nodeTimeUs + slackUs));
        }),
      );
    });

    it("begins, where it was forgotten, at the time of day less the slack at the least", () => {
      const [nodeTimeUs, slackUs] = [1_700_000_000_000_000, 15_000_000];
      const given = fenceFor({ proposal: 0, nodeTimeUs, slackUs });
      expect(given).to.equal(1_699_999_985_000_000);
    });

    it("lands above the tokens of before a loss that was outwaited, whatever clients propose", () => {
      // Before: a client as far ahead as it may. After: one as far behind, a quarantine later.
      fc.assert(
        fc.property(us, us, us, fc.integer({ min: 10, max: 86_400_000 }), (timeUs, a, b, ttlMs) => {
          const slackUs = fenceSlackUs(ttlMs);
          const before = fenceFor({ proposal: a, nodeTimeUs: timeUs, slackUs });
          const nodeTimeUs = timeUs + ttlMs * 1_000;
          expect(fenceFor({ proposal: b, nodeTimeUs, slackUs })).to.be.greaterThan(before);
        }),
      );
    });

    it("is the same on nodes with the same fence that have the proposal within their slack", () => {
      fc.assert(
        fc.property(
          us,
          fc.integer({ min: 1_000, max: 2 ** 52 }),
          fc.integer({ min: 0, max: 1_000 }),
          (fence, proposal, skew) => {
            const on = (nodeTimeUs: number): number => {
              return fenceFor({ fence, proposal, nodeTimeUs, slackUs: 1_000 });
            };
            expect(on(proposal + skew)).to.equal(on(proposal - skew));
          },
        ),
      );
    });
  });
}
