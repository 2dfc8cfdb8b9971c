import { expect } from "chai";
import type { Lease } from "../../src/coordinator/lease.js";
import { driftMs } from "../../src/protocol/lease-times.js";
import { CoordinatorBench, heardInbox } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { free, granted, held } from "../support/votes.js";

/** Of a ttl of 1000 ms, with the drift of the delay. */
const LIFE_MS = 1_000 + 500 + driftMs(500, 0.01);

function bench(over: { lockDelayMs?: number; minHoldMs?: number; renew?: boolean }) {
  const coordinator = new CoordinatorBench();
  const lock = coordinator.lease({ renew: false, ...over });
  return { coordinator, lock, node: coordinator.nodes[0] };
}

describe("A lease with a lock-delay", () => {
  it("is valid for its ttl, and its keys are stored for longer", async () => {
    const { coordinator, lock, node } = bench({ lockDelayMs: 500 });
    expect(lock.remainingMs).to.equal(988);
    expect(node?.last("acquire").operation.ttlMs).to.equal(LIFE_MS);
    coordinator.clock.advance(100);
    const extending = lock.extend();
    expect(node?.last("extend").operation.ttlMs).to.equal(LIFE_MS);
    coordinator.answer("extend", [granted(0), granted(0), free()]);
    await extending;
    expect(lock.remainingMs).to.equal(988);
    // Put back for what the others have left.
    expect(coordinator.nodes[2]?.last("heal").operation.ttlMs).to.equal(LIFE_MS);
  });

  it("leaves them where they are when it is lost, and deletes them when it is released", () => {
    const lost = bench({ lockDelayMs: 500 });
    lost.coordinator.clock.advance(988);
    expect(lost.coordinator.lost).to.deep.equal(["expired"]);
    expect(lost.coordinator.counts("release")).to.deep.equal([0, 0, 0]);
    const released = bench({ lockDelayMs: 500 });
    void released.lock.release();
    const { operation } = released.node?.last("release") ?? {};
    expect(operation).to.include({ keepMs: undefined });
    // Worth sending to a node that is back, as long as a key can live there.
    expect(operation?.ttlMs).to.equal(LIFE_MS + driftMs(LIFE_MS, 0.01));
  });

  it("deletes them when its manager closes, and when the attempt fails", async () => {
    const closed = bench({ lockDelayMs: 500 });
    void closed.lock.close();
    expect(closed.coordinator.counts("release")).to.deep.equal([1, 1, 1]);
    const failed = new CoordinatorBench();
    failed.attempt({ lockDelayMs: 500 });
    failed.answer("acquire", [granted(1), free(), free()]);
    expect(failed.counts("release")).to.deep.equal([1, 0, 0]);
    expect(failed.nodes[0]?.last("release").operation).to.include({ keepMs: undefined });
  });
});

describe("A lease with a minimum hold", () => {
  for (const { after, keepMs } of [
    { after: 0, keepMs: 400 + driftMs(400, 0.01) },
    { after: 150, keepMs: 257 },
    // Its clock may be faster than real time by 1 %, and then has not passed yet.
    { after: 400, keepMs: 7 },
    { after: 403.9, keepMs: 4 },
    { after: 404, keepMs: undefined },
    { after: 900, keepMs: undefined },
  ]) {
    it(`released after ${after} ms is kept closed for ${keepMs ?? "no time"}`, () => {
      const { coordinator, lock, node } = bench({ minHoldMs: 400 });
      coordinator.clock.advance(after);
      void lock.release();
      expect(lock.isHeld()).to.equal(false);
      expect(node?.last("release").operation.keepMs).to.equal(keepMs);
    });
  }

  it("is kept so when it is lost or closed, too, and not when the attempt fails", () => {
    const lost = bench({ minHoldMs: 400 });
    void lost.lock.close();
    expect(lost.node?.last("release").operation.keepMs).to.equal(406);
    const failed = new CoordinatorBench();
    failed.attempt({ minHoldMs: 400 });
    failed.answer("acquire", [granted(1), free(), free()]);
    expect(failed.nodes[0]?.last("release").operation).to.include({ keepMs: undefined });
  });

  it("counts by the clock that is never ahead of real time", () => {
    const { coordinator, lock, node } = bench({ minHoldMs: 400 });
    // The lease clock jumps with it: a suspend, or somebody who sets the clock.
    coordinator.clock.stepWall(300);
    void lock.release();
    expect(node?.last("release").operation.keepMs).to.equal(406);
  });
});

describe("The next in line of the same process", () => {
  const LONG = { waitMs: 60_000, maxDelayMs: 20_000 };

  for (const { title, over, end } of [
    {
      title: "asks at once behind a release whose name stays closed for its minimum hold",
      over: { minHoldMs: 400 },
      end: (lock: Lease) => void lock.release(),
    },
    {
      title: "asks at once when a lock is lost whose name stays closed for its lock-delay",
      over: { lockDelayMs: 400 },
      end: (_: Lease, { clock }: CoordinatorBench) => clock.advance(988),
    },
  ]) {
    it(`${title}, and again when it is free`, () => {
      const inbox = heardInbox();
      const coordinator = new CoordinatorBench(3, new ManualClock(), inbox);
      const attempts = (): number => coordinator.counts("acquire")[0] ?? 0;
      const first = coordinator.acquire({ renew: false, ...over }, { ...LONG, fair: true });
      const next = coordinator.acquire({ renew: false }, LONG);
      coordinator.answer("acquire", [granted(7), granted(7), granted(7)]);
      const [outcome] = first.outcomes;
      if (outcome?.kind !== "granted") return expect.fail(`it is ${outcome?.kind}`);
      coordinator.clock.advance(1);
      expect(attempts(), "while it is held").to.equal(1);
      end(outcome.lease, coordinator);
      coordinator.clock.advance(1);
      expect(attempts(), "when it has ended").to.equal(2);
      coordinator.blockFor(400);
      coordinator.answer("acquire", [held(400), held(400), held(400)]);
      coordinator.clock.advance(420);
      expect(attempts(), "when it is free").to.equal(3);
      coordinator.answer("acquire", [granted(8), granted(8), granted(8)]);
      expect(next.outcomes[0]).to.include({ kind: "granted" });
    });
  }
});
