import { expect } from "chai";
import * as fc from "fast-check";
import type { Vote } from "../../src/protocol/operation.js";
import { LOSS_LEAD_MS } from "../../src/protocol/lease-times.js";
import { CoordinatorBench } from "../support/coordinator-bench.js";
import { fault, granted } from "../support/votes.js";
import { settle } from "../support/manual-clock.js";

/** Validity 988 ms, renewal due at 328 ms, that is with 660 ms left. */
const NOTICE = { lossNoticeMs: 300 };
const DUE_MS = 328;

/** Lets time pass while each extend is answered within 10 ms. */
async function advance(
  bench: CoordinatorBench,
  ms: number,
  vote: (index: number) => Vote | undefined,
): Promise<void> {
  let answeredCount = bench.counts("extend")[0];
  for (let passedMs = 0; passedMs < ms; passedMs += 10) {
    bench.clock.advance(10);
    const [count] = bench.counts("extend");
    if (count !== answeredCount)
      bench.answer(
        "extend",
        bench.nodes.map((_, index) => vote(index)),
      );
    answeredCount = count;
    await settle();
  }
}

describe("Lease: a renewal that is late", () => {
  it("is told before the loss, once, with what is left", () => {
    const bench = new CoordinatorBench();
    bench.lease(NOTICE);
    bench.clock.advance(687);
    expect(bench.late).to.deep.equal([]);
    bench.clock.advance(1);
    expect(bench.late).to.deep.equal([{ lateMs: 688 - DUE_MS, leftMs: 300 }]);
    expect(bench.lost).to.deep.equal([]);
    bench.clock.advance(1_000);
    expect(bench.late).to.have.length(1);
    expect(bench.lost).to.deep.equal(["expired"]);
  });

  it("is told again only after the lock was extended in between", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(NOTICE);
    await advance(bench, 750, () => fault("timeout"));
    expect(bench.late).to.have.length(1);
    await advance(bench, 200, () => granted());
    expect(lease.remainingMs).to.be.above(800);
    const { remainingMs } = lease;
    bench.clock.advance(remainingMs - 301);
    expect(bench.late).to.have.length(1);
    bench.clock.advance(1);
    expect(bench.late[1]?.leftMs).to.equal(300);
  });

  it("is told however the renewals fail, as long as there is notice to give", () => {
    const notice = fc.integer({ min: LOSS_LEAD_MS + 1, max: 659 });
    const votes = fc.constantFrom(fault("timeout"), fault("disconnected"), undefined);
    fc.assert(
      fc.property(notice, fc.array(votes, { minLength: 3, maxLength: 3 }), (lossNoticeMs, said) => {
        const bench = new CoordinatorBench();
        bench.lease({ lossNoticeMs });
        bench.clock.advance(DUE_MS + 1);
        bench.answer("extend", said);
        bench.clock.advance(1_000);
        expect(bench.late.map(({ leftMs }) => leftMs)).to.deep.equal([lossNoticeMs]);
        expect(bench.late[0]?.lateMs).to.equal(988 - lossNoticeMs - DUE_MS);
        expect(bench.lost).to.deep.equal(["expired"]);
      }),
    );
  });

  it("is told after a stall of the event loop, if the lock is not lost by then", () => {
    for (const [stallMs, late, lost] of [
      [600, [], 0],
      [900, [{ lateMs: 900 - DUE_MS, leftMs: 88 }], 0],
      [985, [], 1],
    ] as const) {
      const bench = new CoordinatorBench();
      bench.lease(NOTICE);
      bench.clock.stall(stallMs);
      bench.clock.advance(0);
      expect(bench.late, `${stallMs}`).to.deep.equal(late);
      expect(bench.lost, `${stallMs}`).to.have.length(lost);
      // The renewal has not been given up for it.
      expect(bench.counts("extend")).to.deep.equal(lost === 0 ? [1, 1, 1] : [0, 0, 0]);
    }
  });

  it("is not told of locks that nobody renews, that are renewed, or that are released", async () => {
    const manual = new CoordinatorBench();
    manual.lease({ ...NOTICE, renew: false });
    manual.clock.advance(2_000);
    expect(manual.late).to.deep.equal([]);

    const renewed = new CoordinatorBench();
    renewed.lease(NOTICE);
    await advance(renewed, 4_000, (index) => (index < 2 ? granted() : undefined));
    expect(renewed.counts("extend")[0]).to.be.above(10);
    expect(renewed.late).to.deep.equal([]);
    expect(renewed.lost).to.deep.equal([]);

    const released = new CoordinatorBench();
    const lease = released.lease(NOTICE);
    released.clock.advance(400);
    void lease.release();
    released.clock.advance(2_000);
    expect(released.late).to.deep.equal([]);
  });

  it("wakes nobody where nobody hears it, nor with a notice of 0", () => {
    for (const { hearsLate, lossNoticeMs } of [
      { hearsLate: false, lossNoticeMs: 300 },
      { hearsLate: true, lossNoticeMs: 0 },
    ]) {
      const bench = new CoordinatorBench();
      bench.hearsLate = hearsLate;
      const lease = bench.lease({ lossNoticeMs });
      bench.clock.advance(DUE_MS + 200);
      // Until its loss: the rounds and retries of its renewals are over or silent by then.
      const wakes: number[] = [];
      const wake = lease.wake.bind(lease);
      lease.wake = (nowMs) => {
        wakes.push(lease.validUntilMs - nowMs);
        wake(nowMs);
      };
      bench.clock.advance(1_000);
      expect(bench.late).to.deep.equal([]);
      expect(wakes).to.not.include(300);
      expect(wakes.at(-1)).to.equal(LOSS_LEAD_MS);
    }
  });
});
