import { expect } from "chai";
import * as fc from "fast-check";
import type { LeaseHandle } from "../../../src/coordinator/lease.js";
import { SharedLease } from "../../../src/manager/reentry/shared-lease.js";
import { CoordinatorBench, stateOf } from "../../support/coordinator-bench.js";

/** One thing that happens to a hold. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("join" as const) }) },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant("release" as const), at: fc.nat(7) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("expire" as const) }) },
  ),
  { maxLength: 20 },
);

interface Member {
  readonly handle: LeaseHandle;
  isReleased: boolean;
  /** Reasons it was told. */
  readonly told: string[];
}

describe("A hold with several handles", () => {
  it("is freed by the last release and by no other, whatever the order", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (run) => {
        const bench = new CoordinatorBench();
        const lease = bench.lease({ renew: false });
        const hold = new SharedLease(lease);
        const members: Member[] = [];
        let isLost = false;
        const join = (): void => {
          const member: Member = { handle: hold.join(), isReleased: false, told: [] };
          member.handle.onLost = (reason) => member.told.push(reason);
          members.push(member);
        };
        join();
        for (const step of run) {
          if (!hold.isOpen) break;
          if (step.kind === "join" && !isLost) join();
          else if (step.kind === "join") continue;
          else if (step.kind === "expire") {
            bench.clock.advance(1_000);
            isLost = true;
          } else {
            const member = members[step.at % members.length];
            if (member === undefined) continue;
            const before = bench.counts("release");
            const result = member.handle.release();
            expect(member.handle.release(), "a second release is the first").to.equal(result);
            const isFirst = !member.isReleased;
            member.isReleased = true;
            const openCount = members.filter(({ isReleased }) => !isReleased).length;
            const isFreed = isFirst && openCount === 0 && !isLost;
            expect(bench.counts("release"), "releases sent").to.deep.equal(
              before.map((count) => count + (isFreed ? 1 : 0)),
            );
            if (openCount > 0 && isFirst) {
              expect(await stateOf(result)).to.equal(isLost ? "expired" : "released");
            }
          }
          for (const { handle, isReleased, told } of members) {
            expect(handle.isHeld()).to.equal(!isLost && !isReleased);
            expect(handle.remainingMs > 0).to.equal(!isLost && !isReleased);
            expect(handle.ownerId).to.equal(lease.ownerId);
            if (!isLost) expect(handle.state).to.equal(isReleased ? "released" : "held");
            expect(told).to.deep.equal(handle.state === "lost" ? ["expired"] : []);
          }
        }
        const isOver = members.every(({ isReleased }) => isReleased);
        expect(hold.isOpen).to.equal(!isOver);
        expect(lease.state).to.equal(isLost ? "lost" : isOver ? "released" : "held");
      }),
      { numRuns: 300 },
    );
  });

  it("is given away with its only handle, and not while others share it", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ renew: false });
    const hold = new SharedLease(lease);
    const [first, second] = [hold.join(), hold.join()];
    expect(() => first.give()).to.throw(RangeError, "joined");
    expect([first.isHeld(), second.isHeld(), lease.isHeld()]).to.deep.equal([true, true, true]);
    await second.release();
    first.give();
    expect([first.isHeld(), first.isGiven, lease.isGiven]).to.deep.equal([false, true, true]);
    expect(await first.release()).to.equal("handedOver");
    expect(hold.isOpen).to.equal(false);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("extends for all, and not for one who has released", async () => {
    const bench = new CoordinatorBench();
    const hold = new SharedLease(bench.lease({ renew: false }));
    const [first, second] = [hold.join(), hold.join()];
    await first.release();
    expect(await first.extend()).to.deep.equal({ kind: "lost" });
    expect(bench.counts("extend")).to.deep.equal([0, 0, 0]);
    bench.clock.advance(500);
    const extending = second.extend();
    bench.answer("extend", [
      { kind: "granted", fence: 0 },
      { kind: "granted", fence: 0 },
    ]);
    expect(await extending).to.deep.equal({ kind: "extended" });
    expect(second.remainingMs).to.equal(988);
  });
});
