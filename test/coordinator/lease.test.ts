import { expect } from "chai";
import * as fc from "fast-check";
import { MAX_RENEWALS } from "../../src/coordinator/admission.js";
import type { Timer } from "../../src/coordinator/ports.js";
import { armedMs, lossAtMs, LOSS_LEAD_MS } from "../../src/protocol/lease-times.js";
import type { Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, stateOf } from "../support/coordinator-bench.js";
import { ManualClock, settle } from "../support/manual-clock.js";
import { fault, free, granted, held } from "../support/votes.js";
import { uniform } from "../support/uniform.js";

const MANUAL = { renew: false };

/** Its timers are armed as Node's are, and each is late by up to 2.5 ms more. */
class LateClock extends ManualClock {
  readonly #lateness: readonly number[];

  /** @param lateness of one timer after the other, as parts of 2.5 ms */
  constructor(startMs: number, lateness: readonly number[]) {
    super(startMs);
    this.#lateness = lateness;
  }

  override setTimer(delayMs: number, callback: () => void): Timer {
    const late = this.#lateness[this.armedMs.length % this.#lateness.length] ?? 0;
    return super.setTimer(armedMs(Math.max(0, delayMs)) + 2.5 * late, callback);
  }
}

describe("Lease: lease and loss", () => {
  it("counts its validity down and is held until its last moment, as far as timers are not served", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    expect(lease.remainingMs).to.equal(988);
    bench.clock.stall(987);
    expect(lease.remainingMs).to.equal(1);
    expect(lease.isHeld()).to.equal(true);
    bench.clock.stall(1);
    expect(lease.isHeld()).to.equal(false);
    expect(lease.remainingMs).to.equal(0);
  });

  it("S6: ends with its signal by the end of its validity, however its timers are rounded and late", () => {
    const fraction = fc.integer({ min: 0, max: 999 }).map((part) => part / 1_000);
    fc.assert(
      fc.property(fraction, fc.array(fraction, { minLength: 1 }), (start, lateness) => {
        const clock = new LateClock(1_000 + start, lateness);
        const bench = new CoordinatorBench(3, clock);
        const lease = bench.lease({ ...MANUAL, ttlMs: 3_000 });
        const endMs = clock.now() + lease.remainingMs;
        let toldMs = Number.POSITIVE_INFINITY;
        lease.onLost = () => {
          toldMs = clock.now();
        };
        clock.advance(endMs - clock.now());
        expect(toldMs).to.be.within(endMs - LOSS_LEAD_MS, endMs);
        expect([lease.isHeld(), lease.remainingMs]).to.deep.equal([false, 0]);
      }),
    );
  });

  it("is lost at the end of its validity without any reply, and tells it once", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease();
    const told: string[] = [];
    lease.onLost = (reason) => told.push(reason);
    bench.clock.advance(988);
    expect(told).to.deep.equal(["expired"]);
    expect(bench.lost).to.deep.equal(["expired"]);
    expect(lease.state).to.equal("lost");
    expect(lease.lossReason).to.equal("expired");
    bench.clock.advance(10_000);
    expect(bench.lost).to.have.length(1);
  });

  it("is released on all nodes when it is lost, before anybody is told", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    let releasesWhenTold: number[] = [];
    lease.onLost = () => {
      releasesWhenTold = bench.counts("release");
    };
    bench.clock.advance(988);
    expect(releasesWhenTold).to.deep.equal([1, 1, 1]);
    expect(bench.nodes.map((node) => node.last("release").mayHold)).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it("leaves no timer behind when it is given away", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease();
    lease.give();
    bench.clock.advance(0);
    expect(bench.context.schedule.size).to.equal(0);
    bench.context.schedule.close();
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("finds out by the clock alone after a stall, before any timer", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease();
    bench.clock.stall(988);
    expect(lease.isHeld()).to.equal(false);
    expect(bench.lost).to.deep.equal(["expired"]);
  });

  it("is lost within a second of waking up when the machine slept past its lease", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ ttlMs: 10_000 });
    bench.clock.suspend(20_000);
    expect(lease.remainingMs).to.equal(0);
    bench.clock.advance(1_000);
    expect(bench.lost).to.deep.equal(["expired"]);
  });

  it("is given up after maxHoldMs, however well it is renewed", async () => {
    const bench = new CoordinatorBench();
    bench.lease({ maxHoldMs: 2_500 });
    const grantAll = [granted(), granted(), granted()];
    for (let ms = 0; ms < 2_499; ms++) {
      const before = bench.counts("extend")[0];
      bench.clock.advance(1);
      if (bench.counts("extend")[0] !== before) bench.answer("extend", grantAll);
      await settle();
    }
    expect(bench.lost).to.deep.equal([]);
    bench.clock.advance(1);
    expect(bench.lost).to.deep.equal(["maxHold"]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("never asks to be woken at the very instant it is woken at, which would spin for ever", () => {
    const start = uniform(0, 1e9);
    const hold = uniform(1, 900);
    fc.assert(
      fc.property(start, hold, (startMs, maxHoldMs) => {
        const bench = new CoordinatorBench(1, new ManualClock(startMs));
        const lease = bench.lease({ ...MANUAL, maxHoldMs });
        lease.wake(lease.wakeAtMs);
        expect(lease.state, `woken again at ${lease.wakeAtMs}`).to.equal("lost");
      }),
      { numRuns: 500 },
    );
  });

  it("is not valid any longer for having been told so late", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.attempt(MANUAL);
    bench.clock.advance(45);
    bench.answer("acquire", [granted(7), granted(7)]);
    bench.clock.advance(943);
    expect(outcomes[0]).to.have.nested.property("lease.state", "lost");
  });
});

describe("Lease: why it ran out", () => {
  it("was not to be renewed", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    expect(lease.lossCause).to.equal(undefined);
    bench.clock.advance(988);
    expect(lease.lossCause).to.deep.equal({ kind: "notRenewed" });
  });

  for (const [title, stop] of [
    [
      "is found out by a timer",
      (clock: ManualClock) => {
        clock.advance(0);
      },
    ],
    ["is found out by a look", () => {}],
  ] as const) {
    it(`the process stalled, which ${title}`, () => {
      const bench = new CoordinatorBench();
      const lease = bench.lease();
      bench.clock.advance(100);
      bench.clock.stall(1_500);
      stop(bench.clock);
      expect(lease.isHeld()).to.equal(false);
      expect(lease.lossCause).to.have.property("kind", "stalled");
      // From when it was to be renewed, at the earliest.
      expect(lease.lossCause).to.have.property("forMs").within(1_260, 1_500);
      const lateMs = bench.clock.now() - lease.firstRenewalAtMs;
      expect(lease.lossCause).to.have.property("lateMs").closeTo(lateMs, 0.001);
    });
  }

  for (const { stallMs, kind } of [
    { stallMs: 300, kind: "unconfirmed" },
    { stallMs: 500, kind: "stalled" },
  ]) {
    it(`the process stalled for ${stallMs} of its last ms: ${kind}`, async () => {
      const bench = new CoordinatorBench();
      const lease = bench.lease();
      // Renewals are under way since 328 ms, and nobody answers them; timers are due all the time.
      await bench.clock.run(988 - stallMs + 20, 10);
      bench.clock.stall(stallMs);
      expect(lease.isHeld()).to.equal(false);
      expect(lease.lossCause).to.have.property("kind", kind);
    });
  }

  it("the machine was suspended", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ ttlMs: 10_000 });
    bench.clock.suspend(20_000);
    bench.clock.advance(1_000);
    expect(lease.lossCause).to.have.property("kind", "stalled");
    expect(lease.lossCause).to.have.property("forMs").within(19_000, 20_000);
  });

  it("nodes did not confirm it: with their last votes, and silence for a fault", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ nodeTimeoutMs: 400 });
    while (bench.counts("extend")[0] === 0) bench.clock.advance(1);
    bench.answer("extend", [fault("disconnected"), granted()]);
    for (let ms = 0; ms < 1_000 && lease.state === "held"; ms += 10) {
      bench.clock.advance(10);
      await settle();
    }
    const { lossCause } = lease;
    if (lossCause?.kind !== "unconfirmed") return expect.fail(`it is ${lossCause?.kind}`);
    const kinds = lossCause.votes.map((vote) => (vote?.kind === "fault" ? vote.fault : vote?.kind));
    expect(kinds).to.deep.equal(["timeout", "timeout", "timeout"]);
  });

  it("an extend that nobody answered, though it is not renewed by itself", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    bench.clock.advance(960);
    void lease.extend();
    bench.answer("extend", [granted()]);
    bench.clock.advance(28);
    const { lossCause } = lease;
    if (lossCause?.kind !== "unconfirmed") return expect.fail(`it is ${lossCause?.kind}`);
    expect(lossCause.votes.map((vote) => vote?.kind)).to.deep.equal(["granted", "fault", "fault"]);
  });

  it("its renewal waited for others of its process", () => {
    const bench = new CoordinatorBench();
    const { renewals } = bench.context;
    for (let count = 0; count < 2 * MAX_RENEWALS; count++)
      renewals.enter({ begin: () => {} }, true);
    const lease = bench.lease();
    const { firstRenewalAtMs } = lease;
    bench.clock.advance(988);
    expect(lease.lossCause).to.have.property("kind", "queued");
    const lateMs = lossAtMs(lease.validUntilMs) - firstRenewalAtMs;
    expect(lease.lossCause)
      .to.have.property("lateMs")
      .within(lateMs, lateMs + 5);
  });

  it("timers were too late for a ttl of a few ms, and no others waited", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ ttlMs: 10 });
    bench.clock.stall(6);
    expect(lease.isHeld() && lease.remainingMs > 5).to.equal(false);
    lease.wake(bench.clock.now());
    expect(lease.lossCause).to.have.property("kind", "stalled");
    expect(lease.lossCause).to.have.property("forMs").within(2, 6);
  });

  it("is told of no other loss", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ maxHoldMs: 100 });
    bench.clock.advance(100);
    expect([lease.lossReason, lease.lossCause]).to.deep.equal(["maxHold", undefined]);
  });
});

describe("Lease: renewal", () => {
  it("begins at a third of the ttl, counted from the first send", () => {
    const bench = new CoordinatorBench();
    bench.attempt({ ttlMs: 3_000 });
    bench.clock.advance(40);
    bench.answer("acquire", [granted(7), granted(7), granted(7)]);
    bench.clock.advance(959);
    expect(bench.counts("extend")).to.deep.equal([0, 0, 0]);
    bench.clock.advance(1);
    expect(bench.counts("extend")).to.deep.equal([1, 1, 1]);
    expect(bench.nodes[0]?.last("extend").operation).to.include({ kind: "extend", ttlMs: 3_000 });
  });

  it("counts the new validity from before its own first send", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ ttlMs: 3_000 });
    const grantedAtMs = bench.clock.now();
    bench.clock.advance(1_000);
    bench.clock.advance(30);
    bench.answer("extend", [granted(), granted()]);
    expect(lease.validUntilMs).to.equal(grantedAtMs + 1_000 + 3_000 - 32);
  });

  it("goes on for as long as a quorum answers", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ ttlMs: 300 });
    for (let times = 0; times < 100; times++) {
      bench.clock.advance(100);
      bench.answer("extend", [granted(), undefined, granted()]);
      await settle();
    }
    expect(lease.isHeld()).to.equal(true);
    expect(bench.counts("extend")).to.deep.equal([100, 100, 100]);
  });

  it("tries again within what is left after a round that failed, which is no loss", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease();
    let seen = 0;
    for (let ms = 0; ms < 988 - LOSS_LEAD_MS - 1; ms++) {
      bench.clock.advance(1);
      if (bench.counts("extend")[0] === seen) continue;
      seen = bench.counts("extend")[0] ?? 0;
      bench.answer("extend", [fault(), fault(), undefined]);
      await settle();
    }
    expect(lease.state).to.equal("held");
    expect(seen, "tries").to.be.at.least(4);
    bench.clock.advance(1);
    expect(bench.lost).to.deep.equal(["expired"]);
  });

  it("is saved by one late try that succeeds", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease();
    await bench.clock.run(900);
    bench.answer("extend", [granted(), granted(), granted()]);
    await bench.clock.run(900);
    expect(lease.isHeld()).to.equal(true);
  });

  it("is off on request, and stops with the release", async () => {
    const bench = new CoordinatorBench();
    bench.lease(MANUAL);
    bench.clock.advance(987);
    expect(bench.counts("extend")).to.deep.equal([0, 0, 0]);
    const renewed = new CoordinatorBench();
    void renewed.lease().release();
    await renewed.clock.run(2_000, 50);
    expect(renewed.counts("extend")).to.deep.equal([0, 0, 0]);
    expect(renewed.context.schedule.size).to.equal(0);
  });

  for (const { leftMs, kind } of [
    { leftMs: 6, kind: "extended" },
    { leftMs: 5, kind: "lost" },
  ]) {
    it(`S6: an extend that is known ${leftMs} ms before its end is ${kind}`, async () => {
      const bench = new CoordinatorBench();
      const extending = bench.lease(MANUAL).extend();
      bench.clock.stall(988 - leftMs);
      bench.answer("extend", [granted(), granted(), granted()]);
      expect(await stateOf(extending)).to.deep.equal({ kind });
      expect(bench.lost).to.deep.equal(kind === "lost" ? ["expired"] : []);
    });
  }

  it("believes the clock before an extend that was granted in time but read late", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const extending = lease.extend();
    bench.clock.stall(988);
    bench.answer("extend", [granted(), granted(), granted()]);
    expect(await stateOf(extending)).to.deep.equal({ kind: "lost" });
    expect(bench.lost).to.deep.equal(["expired"]);
  });

  it("is not to be sent behind the node deadline nor behind the validity", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    void lease.extend();
    expect(bench.nodes[0]?.last("extend").operation.sendBeforeMs).to.equal(bench.clock.now() + 50);
    bench.answer("extend", [fault(), fault()]);
    const late = new CoordinatorBench();
    const lateLease = late.lease(MANUAL);
    late.clock.advance(970);
    void lateLease.extend();
    expect(late.nodes[0]?.last("extend").operation.sendBeforeMs).to.equal(lateLease.validUntilMs);
  });
});

describe("Lease: extend by hand", () => {
  it("is one round that concurrent calls share", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const both = [lease.extend(), lease.extend()];
    expect(bench.counts("extend")).to.deep.equal([1, 1, 1]);
    bench.answer("extend", [granted(), granted()]);
    expect(await stateOf(Promise.all(both))).to.deep.equal([
      { kind: "extended" },
      { kind: "extended" },
    ]);
    void lease.extend();
    expect(bench.counts("extend")).to.deep.equal([2, 2, 2]);
  });

  it("is taken when a quorum refused: lost at once, released everywhere", async () => {
    for (const votes of [
      [held(), held(), undefined],
      [free(), undefined, free()],
      [free(), held(), granted()],
    ] as (Vote | undefined)[][]) {
      const bench = new CoordinatorBench();
      const lease = bench.lease(MANUAL);
      const extending = lease.extend();
      bench.answer("extend", votes);
      expect(await stateOf(extending)).to.deep.equal({ kind: "lost" });
      expect(bench.lost).to.deep.equal(["taken"]);
      expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
      expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
    }
  });

  it("fails without a loss while a quorum has neither matched nor refused", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const extending = lease.extend();
    bench.answer("extend", [granted(), free(), fault()]);
    expect(await stateOf(extending)).to.deep.include({ kind: "failed" });
    expect(lease.isHeld()).to.equal(true);
    expect(lease.remainingMs).to.equal(988);
    expect(bench.counts("heal"), "no quorum matched").to.deep.equal([0, 0, 0]);
  });

  it("is lost at once on a lock that is over", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    void lease.release();
    expect(await stateOf(lease.extend())).to.deep.equal({ kind: "lost" });
    expect(bench.counts("extend")).to.deep.equal([0, 0, 0]);
  });

  it("is lost when the lock is released while it is under way", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const extending = lease.extend();
    void lease.release();
    bench.answer("extend", [granted(), granted(), free()]);
    expect(await stateOf(extending)).to.deep.equal({ kind: "lost" });
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
    expect(bench.lost).to.deep.equal([]);
  });

  it("raises validity by no straggler, of this round or an older one", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    void lease.extend();
    const older = bench.nodes.map((node) => node.last("extend"));
    older[0]?.reply(fault());
    older[1]?.reply(fault());
    await settle();
    bench.clock.advance(100);
    void lease.extend();
    bench.answer("extend", [fault(), fault()]);
    bench.clock.advance(100);
    const validUntilMs = lease.validUntilMs;
    older[2]?.reply(granted());
    bench.answer("extend", [granted(), granted(), granted()]);
    expect(lease.validUntilMs).to.equal(validUntilMs);
  });

  it("never shortens the validity", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    let lastMs = lease.validUntilMs;
    for (let times = 0; times < 5; times++) {
      const extending = lease.extend();
      bench.answer("extend", [granted(), granted(), granted()]);
      await extending;
      expect(lease.validUntilMs).to.be.at.least(lastMs);
      lastMs = lease.validUntilMs;
      bench.clock.advance(times * 100);
    }
  });
});

describe("Lease: heal and backfill", () => {
  it("puts the key back where it is free, after a quorum matched, with what the proven keys have left", () => {
    const bench = new CoordinatorBench();
    void bench.lease(MANUAL).extend();
    bench.clock.advance(20);
    bench.answer("extend", [free(), granted(), granted()]);
    expect(bench.counts("heal")).to.deep.equal([1, 0, 0]);
    expect(bench.nodes[0]?.last("heal").operation).to.include({ ttlMs: 980, fence: 7 });
  });

  it("does not heal where another holds the key, or where a node did not answer", () => {
    const bench = new CoordinatorBench(5);
    void bench.lease(MANUAL).extend();
    bench.answer("extend", [held(), fault(), granted(), granted(), granted()]);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it("heals on a straggler of the round that proved the lock", () => {
    const bench = new CoordinatorBench();
    void bench.lease(MANUAL).extend();
    bench.answer("extend", [undefined, granted(), granted()]);
    bench.clock.advance(30);
    bench.nodes[0]?.answer("extend", free());
    expect(bench.nodes[0]?.last("heal").operation.ttlMs).to.equal(970);
  });

  it("does not heal on a straggler of an older round", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const first = lease.extend();
    const older = bench.nodes[0]?.last("extend");
    bench.answer("extend", [undefined, granted(), granted()]);
    await first;
    await settle();
    bench.clock.advance(30);
    void lease.extend();
    bench.answer("extend", [undefined, granted(), granted()]);
    older?.reply(free());
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
  });

  it("never heals behind a release or a loss", () => {
    for (const end of ["release", "loss"]) {
      const bench = new CoordinatorBench();
      const lease = bench.lease(MANUAL);
      void lease.extend();
      bench.answer("extend", [undefined, granted(), granted()]);
      if (end === "release") void lease.release();
      else bench.clock.stall(2_000);
      bench.nodes[0]?.answer("extend", free());
      expect(bench.counts("heal"), end).to.deep.equal([0, 0, 0]);
      for (const node of bench.nodes) expect(node.kinds.at(-1), end).to.equal("release");
    }
  });

  it("never counts a healed key as a vote: the next round stands on its own", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    void lease.extend();
    bench.answer("extend", [free(), granted(), granted()]);
    bench.nodes[0]?.answer("heal", granted());
    await settle();
    bench.clock.advance(500);
    const extending = lease.extend();
    bench.answer("extend", [undefined, free(), granted()]);
    expect(await stateOf(extending)).to.equal("pending");
    bench.nodes[0]?.answer("extend", free());
    expect(await stateOf(extending)).to.deep.equal({ kind: "lost" });
  });

  it("backfills after the node deadline where the grant is not complete", () => {
    const bench = new CoordinatorBench();
    bench.lease(MANUAL, [granted(7), granted(7), undefined]);
    bench.clock.advance(49);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
    bench.clock.advance(1);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    expect(bench.nodes[2]?.last("heal").operation).to.include({ ttlMs: 950, fence: 7 });
    bench.clock.advance(500);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
  });

  it("backfills nothing once stragglers, seals included, completed the grant", () => {
    const bench = new CoordinatorBench();
    bench.attempt(MANUAL);
    bench.answer("acquire", [granted(7), granted(9)]);
    bench.answer("seal", [granted(9)]);
    bench.nodes[2]?.answer("acquire", granted(9));
    bench.clock.advance(500);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
  });

  it("backfills a node whose straggling grant stands at another fence", () => {
    const bench = new CoordinatorBench();
    bench.lease(MANUAL, [granted(7), granted(7), undefined]);
    bench.nodes[2]?.answer("acquire", granted(3));
    bench.clock.advance(50);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
  });

  it("stores the token, by a heal, on a node whose key matched without it", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL, [granted(7), granted(7), undefined]);
    const first = lease.extend();
    bench.answer("extend", [granted(), granted()]);
    bench.nodes[2]?.answer("extend", granted());
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    bench.nodes[2]?.answer("heal", granted());
    await first;
    await settle();
    void lease.extend();
    bench.answer("extend", [granted(), granted(), granted()]);
    expect(bench.counts("heal"), "once is enough").to.deep.equal([0, 0, 1]);
  });

  it("owes the release to a node that was healed", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL, [granted(7), granted(7), held()]);
    void lease.extend();
    bench.answer("extend", [granted(), granted()]);
    bench.nodes[2]?.answer("extend", free());
    void lease.release();
    expect(bench.nodes.map((node) => node.last("release").mayHold)).to.deep.equal([
      true,
      true,
      true,
    ]);
  });
});

describe("Lease: release", () => {
  it("goes to all nodes behind everything else, with the token", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL, [granted(7), granted(7), undefined]);
    void lease.release();
    for (const node of bench.nodes) expect(node.kinds).to.deep.equal(["acquire", "release"]);
    expect(bench.nodes[2]?.last("release").operation).to.include({
      ownerId: lease.ownerId,
      fence: 7,
    });
    expect(bench.releasedCount).to.equal(1);
  });

  it("is asked for once, however often it is called", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const calls = [lease.release(), lease.release()];
    bench.answer("release", [granted(), granted()]);
    calls.push(lease.release());
    expect(await stateOf(Promise.all(calls))).to.deep.equal(["released", "released", "released"]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("is expired when it comes too late, and the loss is told", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    bench.clock.stall(988);
    expect(await stateOf(lease.release())).to.equal("expired");
    expect(bench.lost).to.deep.equal(["expired"]);
    expect(bench.releasedCount).to.equal(0);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("is expired after a loss, and sends nothing twice", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    bench.clock.advance(988);
    bench.answer("release", [granted(), granted(), granted()]);
    expect(await stateOf(lease.release())).to.equal("expired");
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("ends the loss watch: nothing is lost behind it", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    void lease.release();
    bench.clock.advance(60_000);
    expect(lease.isHeld()).to.equal(false);
    expect(bench.lost).to.deep.equal([]);
    expect(lease.state).to.equal("released");
    expect(bench.clock.timerCount).to.equal(0);
  });
});

describe("Lease: close", () => {
  it("tells of a loss as `closed`, once, when the release is on its way to all nodes", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease();
    const told: [string, number[]][] = [];
    lease.onLost = (reason) => told.push([reason, bench.counts("release")]);
    void lease.close();
    expect(told).to.deep.equal([["closed", [1, 1, 1]]]);
    expect(bench.lost).to.deep.equal(["closed"]);
    expect(bench.releasedCount, "nobody released it").to.equal(0);
    expect(lease).to.include({ state: "lost", lossReason: "closed", remainingMs: 0 });
    expect(lease.isHeld()).to.equal(false);
  });

  it("releases like any other end: behind everything, with the token, owed where a key may be", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL, [granted(7), granted(7), held()]);
    void lease.close();
    for (const node of bench.nodes) {
      expect(node.kinds).to.deep.equal(["acquire", "release"]);
      expect(node.last("release").operation).to.include({ ownerId: lease.ownerId, fence: 7 });
    }
    // The third had not been heard of at the verdict.
    expect(bench.nodes.map((node) => node.last("release").mayHold)).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it("resolves when a quorum has answered the release, not earlier", async () => {
    const bench = new CoordinatorBench();
    const closing = bench
      .lease(MANUAL)
      .close()
      .then(() => "closed");
    bench.answer("release", [granted()]);
    expect(await stateOf(closing)).to.equal("pending");
    bench.answer("release", [undefined, free()]);
    expect(await stateOf(closing), "1 granted, 1 refused of 3").to.equal("pending");
    bench.answer("release", [undefined, undefined, granted()]);
    expect(await stateOf(closing)).to.equal("closed");
  });

  it("resolves at the node deadline where nobody answers", async () => {
    const bench = new CoordinatorBench();
    const closing = bench
      .lease(MANUAL)
      .close()
      .then(() => "closed");
    bench.clock.advance(49);
    expect(await stateOf(closing)).to.equal("pending");
    bench.clock.advance(1);
    expect(await stateOf(closing)).to.equal("closed");
    expect(bench.clock.timerCount, "timers").to.equal(0);
    expect(bench.context.schedule.size).to.equal(0);
  });

  it("sends nothing twice and tells nothing twice, whatever is called behind it", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    void lease.close();
    void lease.close();
    expect(await stateOf(lease.release())).to.equal("expired");
    expect(await stateOf(lease.extend())).to.deep.equal({ kind: "lost" });
    await bench.clock.run(2_000, 50);
    for (const node of bench.nodes) expect(node.kinds).to.deep.equal(["acquire", "release"]);
    expect(bench.lost).to.deep.equal(["closed"]);
  });

  it("lets whoever is told release the lock: one release is sent all the same", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const results: unknown[] = [];
    lease.onLost = () => void lease.release().then((result) => results.push(result));
    void lease.close();
    await settle();
    expect(results).to.deep.equal(["expired"]);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
  });

  it("ends an extend that is under way as lost, and heals nothing behind the release", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(MANUAL);
    const extending = lease.extend();
    void lease.close();
    bench.answer("extend", [granted(), granted(), free()]);
    expect(await stateOf(extending)).to.deep.equal({ kind: "lost" });
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
    for (const node of bench.nodes) expect(node.kinds.at(-1)).to.equal("release");
  });

  for (const { title, end, lost } of [
    {
      title: "released",
      end: (bench: CoordinatorBench, lease: ReturnType<CoordinatorBench["lease"]>) => {
        void lease.release();
        expect(bench.releasedCount).to.equal(1);
      },
      lost: [],
    },
    {
      title: "lost",
      end: (bench: CoordinatorBench) => bench.clock.advance(988),
      lost: ["expired"],
    },
    {
      title: "over by the clock, though no timer told it yet",
      end: (bench: CoordinatorBench) => bench.clock.stall(988),
      lost: ["expired"],
    },
  ]) {
    it(`resolves at once, and changes nothing, where the lock is ${title}`, async () => {
      const bench = new CoordinatorBench();
      const lease = bench.lease(MANUAL);
      end(bench, lease);
      expect(await stateOf(lease.close().then(() => "closed"))).to.equal("closed");
      expect(bench.lost).to.deep.equal(lost);
      expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    });
  }
});

describe("a lease by value", () => {
  const BY_VALUE = { isByValue: true, renew: false };

  it("ends by the clock when it is asked, with no timer, and leaves its keys to expire", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(BY_VALUE, [granted(7), granted(7), fault()]);
    bench.clock.advance(2_000);
    expect([bench.lost, bench.counts("heal"), lease.state]).to.deep.equal([[], [0, 0, 0], "held"]);
    expect(lease.isHeld()).to.equal(false);
    expect(bench.lost).to.deep.equal(["expired"]);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("leaves what is left of its keys where others have taken the name", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(BY_VALUE);
    void lease.extend();
    bench.answer("extend", [held(), held(), granted()]);
    expect(bench.lost).to.deep.equal(["taken"]);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("is extended on request, and restored where its key is missing then", async () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(BY_VALUE);
    bench.clock.advance(500);
    void lease.extend();
    bench.answer("extend", [granted(), granted(), free()]);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    bench.clock.advance(600);
    expect(lease.isHeld()).to.equal(true);
  });

  it("says what its caller has to release when it ends here", () => {
    const bench = new CoordinatorBench();
    const lease = bench.lease(BY_VALUE);
    expect(lease.endHere()).to.deep.include({ ownerId: lease.ownerId, token: 7, mayHold: 0b111 });
    expect([lease.isHeld(), bench.releasedCount]).to.deep.equal([false, 1]);
    expect(lease.endHere().ownerId).to.equal(lease.ownerId);
    expect([bench.releasedCount, bench.counts("release")]).to.deep.equal([1, [0, 0, 0]]);
  });
});
